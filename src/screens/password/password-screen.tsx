import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useText } from '#i18n/intl.ts'
import { formatPhone } from '#contract/phone.ts'
import { useServices } from '#portal/services.ts'
import { CaptchaBox } from '#portal/sign-in/captcha-box.tsx'
import { useCodeRequest } from '#portal/sign-in/code-request.ts'
import { type PendingSignIn, recallSignIn } from '#portal/sign-in/pending-sign-in.ts'
import { Page } from '#ui/page.tsx'
import { CodeForm } from './code-form.tsx'
import { ResendButton } from './resend-button.tsx'

/** Entry of the one-time code (OTP01–OTP08). */
export function PasswordScreen() {
  const t = useText()
  const { device, notices } = useServices()
  const navigate = useNavigate()
  const request = useCodeRequest()
  const [pending, setPending] = useState(() => recallSignIn(device))
  const page = t('password.heading')

  /** ERR06: without a number and without an address there is nobody to write to (S65). */
  async function choosePlace() {
    notices.raise('warning', { key: 'notice.selectMethod' })
    await navigate({ to: '/' })
  }

  async function resend(captchaAnswer?: string) {
    if (!pending) return choosePlace()
    const sent = await request.send(pending, captchaAnswer)
    if (sent) setPending(sent)
  }

  async function solve(answer: string) {
    request.solve(answer)
    await resend(answer)
  }

  return (
    <Page heading={page} lead={pending && <SentTo pending={pending} />}>
      <title>{t('app.title', { page })}</title>
      <CodeForm contact={pending} onNobody={() => void choosePlace()}>
        <ResendButton countdown={pending} busy={request.busy} onResend={() => void resend()} />
        {request.captcha && <CaptchaBox demand={request.captcha} onSolved={answer => void solve(answer)} />}
      </CodeForm>
    </Page>
  )
}

function SentTo({ pending }: { pending: PendingSignIn }) {
  const t = useText()
  const contact = pending.method === 'phone' ? formatPhone(pending.value) : pending.value
  return (
    <>
      <p>{t('password.sentTo', { contact })}</p>
      <p>{t('password.patience')}</p>
    </>
  )
}
