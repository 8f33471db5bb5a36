import { useRef, useState } from 'react'
import { useIntl } from 'react-intl'
import { toLanguage } from '#i18n/language.ts'
import { defaultCodeSeconds } from '#contract/codes.ts'
import type { MessageKey } from '#i18n/intl.ts'
import type { Tone } from '#app/notices.ts'
import { type Services, useServices } from '#app/services.ts'
import { checkSynced } from '#sync/check-synced.ts'
import { askForCode, type CodePurpose } from './request-code.ts'
import { isCaptchaOff } from './captcha-offer.ts'
import { type Countdown, startCountdown } from './countdown.ts'
import { type Contact, type PendingSignIn, readUnexpired, savePendingSignIn } from './pending-sign-in.ts'

/**
 * The captcha the server asked for; `round` grows with every new one, so that a used answer is not shown as done. With
 * `wait` there is none to solve: time alone helps.
 */
export type CaptchaDemand = { round: number; statusCode: number; answer: string; wait?: Countdown }

export type CodeRequest = {
  busy: boolean
  captcha: CaptchaDemand | undefined
  solve: (answer: string) => void
  /** Asks for a code and says what came of it; the sign-in that now waits for its code, if one was sent. */
  send: (
    contact: Contact,
    options?: { captchaAnswer?: string | undefined },
  ) => Promise<PendingSignIn | undefined>
}

/** What appears under a box moves the button below it: not while a press on that is under way, milliseconds. */
export const pressMs = 400

/** Asking for a one-time code: from either sign-in page, from /password by either channel, and for a second contact. */
export function useCodeRequest(purpose: CodePurpose = 'auth'): CodeRequest {
  const services = useServices()
  const language = toLanguage(useIntl().locale)
  const [busy, setBusy] = useState(false)
  const [captcha, setCaptcha] = useState<CaptchaDemand>()
  /** Whom a code may have gone to though the answer was lost on the line. */
  const unansweredKey = useRef<string>(undefined)

  async function ask(contact: Contact, captchaAnswer: string): Promise<PendingSignIn | undefined> {
    const asked = await askForCode(services.call, { contact, captchaAnswer, language, purpose })
    const wasSent =
      asked.kind === 'wait' && asked.seconds <= defaultCodeSeconds && unansweredKey.current === contact.value
    unansweredKey.current = asked.kind === 'announced' ? contact.value : undefined
    const round = (captcha?.round ?? 0) + 1
    if (asked.kind === 'captcha') setCaptcha({ round, statusCode: asked.statusCode, answer: '' })
    if (asked.kind === 'wait' && !wasSent) {
      const wait = startCountdown(services.device.now(), asked.seconds)
      setCaptcha({ round, statusCode: 0, answer: '', wait })
    }
    if (asked.kind === 'refused') services.notices.raise(...signInFailure(contact.method))
    if (asked.kind !== 'sent' && !wasSent) return undefined
    setCaptcha(undefined)
    const pending = await rememberPendingCode(services, contact)
    // By the other channel nobody knows whether it went to anybody.
    if (purpose === 'otherChannel') return pending
    services.notices.raise('success', {
      key: contact.method === 'phone' ? 'notice.codeSentPhone' : 'notice.codeSentEmail',
    })
    if (purpose === 'auth') savePendingSignIn(services.device, pending)
    return pending
  }

  return {
    busy,
    captcha,
    solve: answer => setCaptcha(demand => demand && { ...demand, answer }),
    async send(contact, { captchaAnswer = captcha?.answer ?? '' } = {}) {
      if (!requireOnline(services)) return undefined
      const fresh = purpose === 'auth' ? readUnexpired(services.device, contact) : undefined
      if (fresh) return fresh
      if (captcha && !captcha.wait && captchaAnswer === '' && !isCaptchaOff(services)) {
        services.notices.raise('warning', { key: 'notice.captcha' })
        return undefined
      }
      setBusy(true)
      const pending = await ask(contact, captchaAnswer)
      setBusy(false)
      return pending
    },
  }
}

/** ERR03, ERR04. */
export function signInFailure(method: Contact['method']): [tone: Tone, words: { key: MessageKey }] {
  return method === 'phone'
    ? ['warning', { key: 'notice.checkPhone' }]
    : ['danger', { key: 'notice.checkEmail' }]
}

/**
 * Sign-in is blocked while surely offline (SIG05, S20). A line that merely went unanswered is tried again:
 * these pages may make no other call that could find it mended.
 */
export function requireOnline({ device, notices }: Services): boolean {
  if (checkSynced({ offline: !device.seemsOnline(), unsent: 0 }).kind === 'open') return true
  notices.raise('warning', { key: 'notice.offline' })
  return false
}

async function rememberPendingCode(services: Services, contact: Contact): Promise<PendingSignIn> {
  const { device, serverInfo } = services
  const server = await serverInfo.readAny() // S16: without it 60 s
  return { ...contact, ...startCountdown(device.now(), server?.otpTtl) }
}
