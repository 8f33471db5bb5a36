import { dangerNoticeDuration, noticeDuration } from '#contract/codes.ts'
import type { Device } from '#device/device.ts'
import type { MessageKey, MessageValues } from '#i18n/intl.ts'

export type Tone = 'success' | 'warning' | 'danger' | 'info'

/** Words of ours by their key, or the server's own sentence. */
export type NoticeWords = { key: MessageKey; values?: MessageValues | undefined } | { text: string }
export type Notice = { id: number; tone: Tone; words: NoticeWords }

/**
 * `shown` goes away after 3 s, a danger after 15 s (ERR28, ERR29), unless somebody is reading it. `last` stays
 * readable in the page until the next action (D51).
 */
export type NoticeState = { shown: Notice | undefined; last: Notice | undefined }

export type Notices = {
  state: () => NoticeState
  subscribe: (listener: () => void) => () => void
  raise: (tone: Tone, words: NoticeWords) => void
  dismiss: () => void
  /** The applicant goes on: what was said before is settled. */
  settle: () => void
  /** What was said under this key is no longer so. */
  recant: (key: MessageKey) => void
  pause: () => void
  resume: () => void
}

export function createNotices(device: Device): Notices {
  const listeners = new Set<() => void>()
  let state: NoticeState = { shown: undefined, last: undefined }
  let count = 0
  let cancel: () => void = nothing

  function change(next: NoticeState) {
    state = next
    for (const listener of listeners) listener()
  }

  function startTimer(tone: Tone) {
    cancel()
    const duration = tone === 'danger' ? dangerNoticeDuration : noticeDuration
    cancel = device.after(duration, () => change({ ...state, shown: undefined }))
  }

  function dismiss() {
    cancel()
    change({ shown: undefined, last: undefined })
  }

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    raise(tone, words) {
      count += 1
      const notice = { id: count, tone, words }
      startTimer(tone)
      change({ shown: notice, last: notice })
    },
    dismiss,
    settle() {
      if (state.shown || state.last) change({ shown: state.shown, last: undefined })
    },
    recant(key) {
      const said = state.shown ?? state.last
      if (said !== undefined && 'key' in said.words && said.words.key === key) dismiss()
    },
    pause: () => cancel(),
    resume() {
      if (state.shown) startTimer(state.shown.tone)
    },
  }
}

function nothing(): void {}
