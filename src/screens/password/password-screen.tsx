import { type ReactNode, useState } from 'react'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { useText } from '#i18n/intl.ts'
import { formatDuration } from '#i18n/format.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { formatPhone } from '#contract/phone.ts'
import { useServerInfo, useServices } from '#app/services.ts'
import type { Countdown } from '#sign-in/countdown.ts'
import { type PendingSignIn, readPendingSignIn } from '#sign-in/pending-sign-in.ts'
import { ResendCode } from '#sign-in/resend-code.tsx'
import { useCodeRequest } from '#sign-in/use-code-request.ts'
import { Page } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { CodeForm } from './code-form.tsx'

/** Entry of the one-time code (OTP01–OTP08). */
export function PasswordScreen() {
  const t = useText()
  const services = useServices()
  const { device, navigation, notices } = services
  const request = useCodeRequest()
  const [pending, setPending] = useState(() => readPendingSignIn({ device }))
  const [dormant, setDormant] = useState<ReactNode>()
  const page = t('password.heading')

  /** Without a contact no code can be sent (ERR06, S65). */
  async function openStartScreen() {
    notices.raise('warning', { key: 'notice.selectMethod' })
    await navigation.go('/')
  }

  /** Few applicants get the question, after a year without a code to this contact, so its page loads only then (D122). */
  async function showQuestion(question: unknown) {
    if (!pending) return
    try {
      const { openDormant } = await loadWithRetry(() => import('./open-dormant.tsx'))
      setDormant(await openDormant(services, { contact: pending, question }))
    } catch {
      // The code can be entered again within a minute of its first use, and gets the same question.
      notices.raise('warning', { key: 'notice.generic' })
    }
  }

  async function resend(captchaAnswer?: string) {
    if (!pending) return openStartScreen()
    const sent = await request.send(pending, { captchaAnswer })
    if (sent) setPending(sent)
  }

  if (dormant) return dormant
  return (
    <Page heading={page} lead={pending && <SentTo pending={pending} />}>
      <title>{t('app.title', { page })}</title>
      <CodeForm contact={pending} onUnknownContact={() => void openStartScreen()} onDormant={showQuestion}>
        <ResendCode countdown={pending} request={request} onResend={resend} />
        {pending && <OtherChannel pending={pending} />}
      </CodeForm>
    </Page>
  )
}

function SentTo({ pending }: { pending: PendingSignIn }) {
  const t = useText()
  const contact = pending.method === 'phone' ? formatPhone(pending.value) : pending.value
  return (
    <>
      <p data-private>{t('password.sentTo', { contact })}</p>
      <CodeValidity />
    </>
  )
}

/** Says how long the code is valid; if the server does not say it, only that a code may arrive late. */
function CodeValidity() {
  const t = useText()
  const language = useLanguage()
  const seconds = useServerInfo().value?.otpTtl ?? undefined
  return (
    <p>
      {seconds === undefined
        ? t('password.patience')
        : t('password.validFor', { duration: formatDuration(seconds, language) })}
    </p>
  )
}

/**
 * Sends a code to the other contact of the same applicant (F6), if the server supports it. Neither the server nor the
 * page reveals whether another contact exists: only its owner, who gets the code, may know.
 */
function OtherChannel({ pending }: { pending: PendingSignIn }) {
  const t = useText()
  const server = useServerInfo()
  const request = useCodeRequest('otherChannel')
  const [sent, setSent] = useState<Countdown>()
  if (!server.value?.features.includes('otherChannel')) return null
  const byEmail = pending.method === 'phone'

  async function send(captchaAnswer?: string) {
    const pendingCode = await request.send(pending, { captchaAnswer })
    if (pendingCode) setSent(pendingCode)
  }

  return (
    <>
      <ResendCode
        countdown={sent}
        request={request}
        onResend={send}
        label={byEmail ? 'password.byEmail' : 'password.bySms'}
        waitingLabel={byEmail ? 'password.byEmailIn' : 'password.bySmsIn'}
      />
      {sent && <Panel announce>{t(byEmail ? 'password.sentByEmail' : 'password.sentBySms')}</Panel>}
    </>
  )
}
