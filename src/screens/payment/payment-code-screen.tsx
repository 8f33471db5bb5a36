import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type FormEvent, useRef, useState } from 'react'
import type { Problem } from '#api/result.ts'
import { isBlank } from '#contract/fields.ts'
import { useText } from '#i18n/intl.ts'
import { useLoadedServices } from '#app/services.ts'
import { requireReachable } from '#app/require-synced.ts'
import { useNavigateUnlessLeft } from '#app/use-navigate-unless-left.ts'
import { useRequestKey } from '#app/use-request-key.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { CodeField } from '#ui/code-field.tsx'
import { Page } from '#ui/page.tsx'
import { useBusy } from '#ui/use-busy.ts'
import { codeRefusal } from './payment-code-refusal.ts'
import { PaymentFacts } from './payment-facts.tsx'
import styles from './payment-result.module.css'

/** The code that the operator sent for a payment (PAY22–PAY24). */
export function PaymentCodeScreen() {
  const t = useText()
  const { appNumber, payment, input, code, isEmpty, busy, type, confirm, goBack } = usePaymentCode()
  const page = t('payOtp.heading')

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
          error={isEmpty ? t('issue.code-empty') : undefined}
          value={code}
          onChange={event => type(event.target.value)}
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
      {/* Below the form: a late answer moves no field and no button. */}
      <div className={styles.facts}>
        <PaymentFacts number={appNumber} payment={payment} />
      </div>
    </Page>
  )
}

/**
 * The payment, the typed code, and the call that confirms the payment with the code. The payment comes from the list of
 * payments, of which the device keeps the last answer (D23).
 */
function usePaymentCode() {
  const services = useLoadedServices()
  const { paymentId, ...application } = useParams({ from: '/signed-in/payOtp/$appId/$appNumber/$paymentId' })
  const navigate = useNavigateUnlessLeft()
  const input = useRef<HTMLInputElement>(null)
  const [code, setCode] = useState('')
  const [isEmpty, setEmpty] = useState(false)
  const { busy, runOnce } = useBusy()
  const requestKey = useRequestKey()
  const { data: attempts } = useQuery(services.queries.paymentAttempts(application.appId))
  const payment = attempts?.find(({ id }) => id === paymentId)

  async function confirm() {
    setEmpty(isBlank(code))
    if (isBlank(code)) return input.current?.focus()
    await runOnce(sendCode)
  }

  async function sendCode() {
    if (!(await requireReachable(services))) return undefined
    const request = { params: { id: paymentId }, body: { otp: code.trim() } }
    const result = await services.call('confirmPayment', request, { key: requestKey.of(code) })
    return result.ok ? showResult() : refuse(result.problem)
  }

  function showResult() {
    const params = { ...application, paymentId }
    return navigate({ to: '/payResult/$appId/$appNumber/$paymentId', params, replace: true })
  }

  function refuse(problem: Problem) {
    const refusal = codeRefusal(problem)
    // The screen has nothing to show.
    if (refusal.kind === 'announced') return undefined
    services.notices.raise('warning', refusal.message)
    requestKey.forget()
    setCode('')
    if (refusal.next === 'show-result') return showResult()
    return refusal.next === 'pay-again' ? goBack() : input.current?.focus()
  }

  function goBack() {
    return navigate({ to: '/payment/$appId/$appNumber', params: application })
  }

  return {
    appNumber: application.appNumber,
    payment,
    input,
    code,
    isEmpty,
    busy,
    type: (text: string) => (setCode(text), setEmpty(false)),
    confirm,
    goBack,
  }
}
