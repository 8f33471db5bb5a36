import { dangerNoticeDurationMs, noticeDurationMs } from '#contract/codes.ts'
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
  clearLast: () => void
  /** What was said under this key is no longer so. */
  withdraw: (key: MessageKey) => void
  pause: () => void
  resume: () => void
}

export function createNotices(device: Device): Notices {
  const listeners = new Set<() => void>()
  let state: NoticeState = { shown: undefined, last: undefined }
  let lastId = 0
  let cancelTimer: () => void = doNothing

  function setState(next: NoticeState) {
    state = next
    for (const listener of listeners) listener()
  }

  function startTimer(tone: Tone) {
    cancelTimer()
    const durationMs = tone === 'danger' ? dangerNoticeDurationMs : noticeDurationMs
    cancelTimer = device.after(durationMs, () => setState({ ...state, shown: undefined }))
  }

  function dismiss() {
    cancelTimer()
    setState({ shown: undefined, last: undefined })
  }

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    raise(tone, words) {
      lastId += 1
      const notice = { id: lastId, tone, words }
      startTimer(tone)
      setState({ shown: notice, last: notice })
    },
    dismiss,
    clearLast() {
      if (state.shown || state.last) setState({ shown: state.shown, last: undefined })
    },
    withdraw(key) {
      const said = state.shown ?? state.last
      if (said !== undefined && 'key' in said.words && said.words.key === key) dismiss()
    },
    pause: () => cancelTimer(),
    resume() {
      if (state.shown) startTimer(state.shown.tone)
    },
  }
}

function doNothing(): void {}
