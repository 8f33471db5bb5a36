import { useRef, useState } from 'react'
import { useIntl } from 'react-intl'
import { useLanguage } from '#i18n/use-language.ts'
import { maxCodePauseSeconds } from '#contract/codes.ts'
import type { MessageKey } from '#i18n/intl.ts'
import type { NoticeMessage, Tone } from '#app/notices.ts'
import { type Services, useServices } from '#app/services.ts'
import { checkSynced } from '#sync/check-synced.ts'
import { useBusy } from '#ui/use-busy.ts'
import { doNothing } from '#device/do-nothing.ts'
import { askForCode, type CodeRequestCall, type CodeRequestResult } from './request-code.ts'
import { isCaptchaOff } from './captcha-off.ts'
import { type Countdown, startCountdown } from './countdown.ts'
import {
  type Contact,
  type PendingSignIn,
  readPendingSignIn,
  readUnexpired,
  savePendingSignIn,
  sentAt,
} from './pending-sign-in.ts'

/**
 * The captcha that the server demands. `round` grows with each demand, so that a used answer is not shown as solved.
 * `work`: how hard a puzzle the server demands (D91). With `wait` the applicant solves nothing and waits.
 */
export type CaptchaDemand = {
  round: number
  statusCode: number
  answer: string
  work?: number | undefined
  wait?: Countdown
}

export type CodeRequest = {
  busy: boolean
  captcha: CaptchaDemand | undefined
  solve: (answer: string) => void
  /**
   * Requests a code and shows the result. If the last code of a sign-in is so new that the server would refuse another,
   * requests none and returns that pending sign-in. Resolves to undefined when the applicant cannot enter a code yet
   * or, except with `isSecret` or the other channel, has left the page (D137).
   */
  send: (
    contact: Contact,
    options?: { captchaAnswer?: string | undefined },
  ) => Promise<PendingSignIn | undefined>
}

/**
 * Requests one-time codes: on the sign-in pages, on /password through either channel, and for contacts of the account.
 * `isSecret`: no notice says that a code was sent, because the server does not reveal it.
 */
export function useCodeRequest(purpose: CodeRequestCall = 'auth', { isSecret = false } = {}): CodeRequest {
  const services = useServices()
  const language = useLanguage()
  const intl = useIntl()
  const { busy, runOnce } = useBusy()
  const [captcha, setCaptcha] = useState<CaptchaDemand>()
  /** The contact to which the server may have sent a code although its response was lost. */
  const unansweredContact = useRef<string>(undefined)

  async function requestCode(contact: Contact, captchaAnswer: string): Promise<PendingSignIn | undefined> {
    loadRouter(services)
    const hasLeft = services.navigation.watchLeaving()
    const pendingBefore = readPendingSignIn(services)
    // The next person may be there: they must not read whose number it is.
    const isOver = () => hasLeft() && services.deviceUse.isShared()
    const outcome = await askForCode(services.call, { contact, captchaAnswer, language, purpose })
    const wasSent =
      outcome.kind === 'wait' &&
      outcome.seconds <= maxCodePauseSeconds &&
      unansweredContact.current === contact.value
    // A lost response is `announced` too: then the server may have sent a code.
    unansweredContact.current = outcome.kind === 'announced' ? contact.value : undefined
    const demand = wasSent ? undefined : demandAfter(outcome, services.device.now())
    if (demand) setCaptcha({ ...demand, round: (captcha?.round ?? 0) + 1 })
    if (!isOver()) announceRefusal(services, outcome, contact.method)
    if (outcome.kind !== 'sent' && !wasSent) return undefined
    setCaptcha(undefined)
    const pending = await createPendingCode(services, contact)
    // The server does not reveal whether it sent a code through the other channel, or to the other contact.
    if (isSecret || purpose === 'otherChannel') return pending
    if (isOver()) return undefined
    loadNextScreen(services)
    announce(services, outcome, codeSent(contact.method))
    // On another page the applicant may have requested a newer code, for another contact.
    const isNewest = readPendingSignIn(services)?.until === pendingBefore?.until
    if (purpose === 'auth' && isNewest) savePendingSignIn(services, pending)
    return hasLeft() ? undefined : pending
  }

  return {
    busy,
    captcha,
    solve: answer => setCaptcha(demand => demand && { ...demand, answer }),
    async send(contact, { captchaAnswer = captcha?.answer ?? '' } = {}) {
      if (!requireOnline(services)) return undefined
      const unexpired = purpose === 'auth' ? readUnexpired(services, contact) : undefined
      if (unexpired) {
        const values = { time: intl.formatTime(sentAt(unexpired)) }
        services.notices.raise('success', { key: 'notice.codeStillValid', values })
        return unexpired
      }
      if (captcha && !captcha.wait && captchaAnswer === '' && !isCaptchaOff(services)) {
        services.notices.raise('warning', { key: 'notice.captcha' })
        return undefined
      }
      return runOnce(() => requestCode(contact, captchaAnswer))
    },
  }
}

/** The captcha, or the time until the next code, that the server demands. Undefined when it demands neither. */
function demandAfter(
  outcome: Awaited<ReturnType<typeof askForCode>>,
  nowMs: number,
): Omit<CaptchaDemand, 'round'> | undefined {
  if (outcome.kind === 'captcha') return { statusCode: outcome.statusCode, work: outcome.work, answer: '' }
  if (outcome.kind !== 'wait') return undefined
  return { statusCode: 0, answer: '', wait: startCountdown(nowMs, outcome.seconds) }
}

/** Shows the server's text if there is one, else the notice. */
function announce(
  { notices }: Services,
  outcome: CodeRequestResult,
  [tone, message]: [Tone, NoticeMessage],
): void {
  if ('message' in outcome && outcome.message) notices.raise('warning', { text: outcome.message })
  else notices.raise(tone, message)
}

/** Says why no code was sent. For a captcha, only shows the server's text, if there is one (S35). */
function announceRefusal(services: Services, outcome: CodeRequestResult, method: Contact['method']): void {
  if (outcome.kind === 'refused') announce(services, outcome, signInFailure(method))
  else if (outcome.kind === 'captcha' && outcome.message)
    services.notices.raise('warning', { text: outcome.message })
}

function codeSent(method: Contact['method']): [Tone, NoticeMessage] {
  return ['success', { key: method === 'phone' ? 'notice.codeSentPhone' : 'notice.codeSentEmail' }]
}

/** Returns the notice for a refused number (ERR03) or e-mail address (ERR04). */
export function signInFailure(method: Contact['method']): [tone: Tone, message: { key: MessageKey }] {
  return method === 'phone'
    ? ['warning', { key: 'notice.checkPhone' }]
    : ['danger', { key: 'notice.checkEmail' }]
}

/**
 * Returns false with a notice while the device reports that it is offline (SIG05, S20). After an unanswered call the
 * applicant may retry at once: the next probe may be a minute away, and the call itself shows whether the service is back.
 */
export function requireOnline({ device, notices }: Services): boolean {
  if (checkSynced({ offline: !device.seemsOnline(), unsent: 0 }).kind === 'allowed') return true
  notices.raise('warning', { key: 'notice.offline' })
  return false
}

async function createPendingCode(services: Services, contact: Contact): Promise<PendingSignIn> {
  const { device, serverInfo } = services
  const server = await serverInfo.readAny() // without the server's value 60 s (S16)
  return { ...contact, ...startCountdown(device.now(), server?.otpTtl ?? undefined) }
}

/**
 * Loads the router: an entry page is hydrated without it, and the next page needs it (D114). Call this function when
 * the contact can be sent: the router then arrives while the applicant moves to the button.
 */
export function loadRouter({ navigation }: Services): void {
  navigation.open().catch(doNothing)
}

/**
 * While the applicant waits for the code, loads what the first screen after the sign-in needs. A failure is no fault here:
 * that screen loads it again.
 */
function loadNextScreen({ language, openQueries }: Services): void {
  language.loadMessages('rest').catch(doNothing)
  openQueries().catch(doNothing)
}
