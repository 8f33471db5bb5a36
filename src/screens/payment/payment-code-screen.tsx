import { useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useRef, useState } from 'react'
import { isBlank } from '#contract/fields.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { checkSynced } from '#sync/check-synced.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { CodeField } from '#ui/code-field.tsx'
import { Page } from '#ui/page.tsx'
import { codeRefusal } from './payment-code-refusal.ts'

/** The code that the operator sent for a payment (PAY22–PAY24). */
export function PaymentCodeScreen() {
  const t = useText()
  const { call, device, connectivity, notices } = useServices()
  const { paymentId, ...application } = useParams({ from: '/signed-in/payOtp/$appId/$appNumber/$paymentId' })
  const navigate = useNavigate()
  const input = useRef<HTMLInputElement>(null)
  const requestKey = useRef({ code: '', key: '' })
  const [code, setCode] = useState('')
  const [empty, setEmpty] = useState(false)
  const [busy, setBusy] = useState(false)
  const page = t('payOtp.heading')

  async function confirm() {
    setEmpty(isBlank(code))
    if (isBlank(code)) return input.current?.focus()
    if (checkSynced({ offline: connectivity.isUnreachable(), unsent: 0 }).kind === 'offline')
      return notices.raise('warning', { key: 'notice.offline' })
    setBusy(true)
    // A code that got no answer is the same intent when it is sent again (D13).
    if (requestKey.current.code !== code) requestKey.current = { code, key: device.randomId() }
    const request = { params: { id: paymentId }, body: { otp: code.trim() } }
    const result = await call('confirmPayment', request, { key: requestKey.current.key })
    setBusy(false)
    if (result.ok)
      return navigate({
        to: '/payResult/$appId/$appNumber/$paymentId',
        params: { ...application, paymentId },
        replace: true,
      })
    const refusal = codeRefusal(result.problem)
    if (refusal.kind === 'announced') return undefined
    notices.raise('warning', refusal.words)
    requestKey.current = { code: '', key: '' }
    setCode('')
    return refusal.startAgain ? goBack() : input.current?.focus()
  }

  function goBack() {
    return navigate({ to: '/payment/$appId/$appNumber', params: application })
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!busy) void confirm()
  }

  return (
    <Page heading={page}>
      <title>{t('app.title', { page })}</title>
      <form method="post" noValidate onSubmit={submit}>
        <CodeField
          ref={input}
          name="otp"
          label={t('payOtp.code')}
          showLabel={t('button.show')}
          hideLabel={t('button.hide')}
          error={empty ? t('issue.code-empty') : undefined}
          value={code}
          onChange={event => {
            setCode(event.target.value)
            setEmpty(false)
          }}
        />
        <ButtonRow>
          <Button type="submit" busy={busy} busyLabel={t('button.busy')}>
            {t('button.continue')}
          </Button>
          <Button variant="secondary" onClick={() => void goBack()}>
            {t('button.back')}
          </Button>
        </ButtonRow>
      </form>
    </Page>
  )
}
