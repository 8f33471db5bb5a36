import { useState } from 'react'
import { useIntl } from 'react-intl'
import { toLanguage } from '#i18n/language.ts'
import type { MessageKey } from '#i18n/intl.ts'
import type { Tone } from '#portal/notices.ts'
import { type Services, useServices } from '#portal/services.ts'
import { gate } from '#sync/gate.ts'
import { askForCode, type CodePurpose } from './ask-for-code.ts'
import { isCaptchaOff } from './captcha-offer.ts'
import { startCountdown } from './countdown.ts'
import { type Contact, type PendingSignIn, rememberSignIn } from './pending-sign-in.ts'

/** The captcha the server asked for; `round` grows with every new one, so that a used answer is not shown as done. */
export type CaptchaDemand = { round: number; statusCode: number; answer: string }

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
export const afterPress = 400

/** Asking for a one-time code: from either sign-in page, from /password by either channel, and for a second contact. */
export function useCodeRequest(purpose: CodePurpose = 'auth'): CodeRequest {
  const services = useServices()
  const language = toLanguage(useIntl().locale)
  const [busy, setBusy] = useState(false)
  const [captcha, setCaptcha] = useState<CaptchaDemand>()

  async function ask(contact: Contact, captchaAnswer: string): Promise<PendingSignIn | undefined> {
    const asked = await askForCode(services.call, { contact, captchaAnswer, language, purpose })
    if (asked.kind === 'captcha')
      setCaptcha({ round: (captcha?.round ?? 0) + 1, statusCode: asked.statusCode, answer: '' })
    if (asked.kind === 'refused') services.notices.raise(...signInFailure(contact.method))
    if (asked.kind !== 'sent') return undefined
    setCaptcha(undefined)
    const pending = await awaitCode(services, contact)
    // By the other channel nobody knows whether it went to anybody.
    if (purpose === 'otherChannel') return pending
    services.notices.raise('success', {
      key: contact.method === 'phone' ? 'notice.codeSentPhone' : 'notice.codeSentEmail',
    })
    if (purpose === 'auth') rememberSignIn(services.device, pending)
    return pending
  }

  return {
    busy,
    captcha,
    solve: answer => setCaptcha(demand => demand && { ...demand, answer }),
    async send(contact, { captchaAnswer = captcha?.answer ?? '' } = {}) {
      if (!mayGoOut(services)) return undefined
      if (captcha && captchaAnswer === '' && !isCaptchaOff(services)) {
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
export function mayGoOut({ device, notices }: Services): boolean {
  if (gate({ offline: !device.seemsOnline(), unsent: 0 }).kind === 'open') return true
  notices.raise('warning', { key: 'notice.offline' })
  return false
}

async function awaitCode(services: Services, contact: Contact): Promise<PendingSignIn> {
  const { device, serverInfo } = services
  const server = await serverInfo.recall() // S16: without it 60 s
  return { ...contact, ...startCountdown(device.now(), server?.otpTtl) }
}
