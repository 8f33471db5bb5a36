import { dangerNoticeDurationMs, noticeDurationMs } from '#contract/codes.ts'
import type { Device } from '#device/device.ts'
import { doNothing } from '#device/do-nothing.ts'
import { createObservable } from '#device/observable.ts'
import type { MessageKey, MessageValues } from '#i18n/intl.ts'

export type Tone = 'success' | 'warning' | 'danger' | 'info'

/** A key of the catalogues, or the text of the server's message. */
export type NoticeMessage =
  /** `incident`: the code to quote to the help desk, shown after the message (ERR30). */
  { key: MessageKey; values?: MessageValues | undefined; incident?: string | undefined } | { text: string }
type Notice = { id: number; tone: Tone; message: NoticeMessage }

/**
 * `shown` disappears after 3 s, or after 15 s with tone danger (ERR28, ERR29); a pause stops that timer. `last` stays
 * in the page until the applicant closes the notice or opens another screen, until the notice is no longer true, or
 * until the next notice (D51).
 */
type NoticeState = { shown: Notice | undefined; last: Notice | undefined }

export type Notices = {
  state: () => NoticeState
  subscribe: (listener: () => void) => () => void
  raise: (tone: Tone, message: NoticeMessage) => void
  dismiss: () => void
  /** Removes `last`: the applicant has opened another screen. */
  clearLast: () => void
  /** Removes `shown` and `last` when the notice has one of these keys, because it is no longer true. */
  withdraw: (...keys: MessageKey[]) => void
  /** Removes `last` with one of these keys: what it says is over. The shown notice keeps its time (ERR28, ERR29). */
  end: (...keys: MessageKey[]) => void
  pause: () => void
  resume: () => void
}

/**
 * `isOfflineShown`: whether the banner says that the device is offline. Then the notice does not repeat this sentence
 * (ERR25): it says only that the step needs a connection.
 */
export function createNotices(device: Device, isOfflineShown = () => false): Notices {
  const { state, setState, subscribe } = createObservable<NoticeState>({ shown: undefined, last: undefined })
  let lastId = 0
  let cancelTimer: () => void = doNothing

  function startTimer(tone: Tone) {
    cancelTimer()
    const durationMs = tone === 'danger' ? dangerNoticeDurationMs : noticeDurationMs
    cancelTimer = device.after(durationMs, () => setState({ ...state(), shown: undefined }))
  }

  function dismiss() {
    cancelTimer()
    setState({ shown: undefined, last: undefined })
  }

  return {
    state,
    subscribe,
    raise(tone, raised) {
      const isRepeated = 'key' in raised && raised.key === 'notice.offline' && isOfflineShown()
      const message: NoticeMessage = isRepeated ? { key: 'notice.needsConnection' } : raised
      lastId += 1
      const notice = { id: lastId, tone, message }
      startTimer(tone)
      setState({ shown: notice, last: notice })
    },
    dismiss,
    clearLast() {
      const { shown, last } = state()
      if (shown || last) setState({ shown, last: undefined })
    },
    withdraw(...keys) {
      const notice = state().shown ?? state().last
      if (notice !== undefined && 'key' in notice.message && keys.includes(notice.message.key)) dismiss()
    },
    end(...keys) {
      const { shown, last } = state()
      if (last && 'key' in last.message && keys.includes(last.message.key))
        setState({ shown, last: undefined })
    },
    pause: () => cancelTimer(),
    resume() {
      const { shown } = state()
      if (shown) startTimer(shown.tone)
    },
  }
}
