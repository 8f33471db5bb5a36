import { Navigate, useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { cardFormDelayMs, type Language } from '#contract/codes.ts'
import type { cardFields } from '#contract/payment.ts'
import { formatAmount } from '#i18n/format.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Loader } from '#ui/loader.tsx'
import { Page } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import type { CardTarget } from './card-page.ts'
import { applicantOf, type CardPayment } from './card-payment.ts'

type CardField = (typeof cardFields)[number]

/** Redirects to the card page. Without a payment in the history state it redirects to the list (S12). */
export function CardPaymentScreen() {
  const { session } = useServices()
  // Reads the state once: while the router opens another screen, the location is already the next one.
  const router = useRouter()
  const [payment] = useState(() => router.state.location.state.cardPayment)
  if (payment === undefined || payment.applicantId !== applicantOf(session))
    return <Navigate to="/procedure" replace />
  return <RedirectForm payment={payment} />
}

/** Shows the gateway and the amount, and submits the form after a delay (PAY20) unless the applicant cancels. */
function RedirectForm({ payment }: { payment: CardPayment }) {
  const t = useText()
  const language = useLanguage()
  const { device } = useServices()
  const navigate = useNavigate()
  const form = useRef<HTMLFormElement>(null)
  const { url, fields, appId, appNumber, visit } = payment
  const page = t('cardPayment.heading')
  const [isReturn, setReturn] = useState(() => device.readTabText(sentFlagKey) === visit)

  useEffect(() => {
    // The browser may restore this page from its back/forward cache in its old state.
    const stop = device.onPageVisible(() => setReturn(device.readTabText(sentFlagKey) === visit))
    const cancel = isReturn ? undefined : device.after(cardFormDelayMs, send)
    return () => (stop(), cancel?.())

    function send() {
      device.saveTabText(sentFlagKey, visit)
      form.current?.submit()
    }
  }, [device, isReturn, visit])

  // An applicant who returns from the card page sees the result instead of a second redirect.
  if (isReturn) return <PaymentOutcomeLink payment={payment} />

  return (
    <Page heading={page}>
      <title>{t('app.title', { page })}</title>
      <Panel>
        <p>{t('cardPayment.leaving', { amount: amountOf(payment, language), gateway: new URL(url).host })}</p>
      </Panel>
      <Loader text={t('cardPayment.automatic')} />
      <form
        ref={form}
        method="post"
        action={url}
        acceptCharset="utf-8"
        onSubmit={() => device.saveTabText(sentFlagKey, visit)}
      >
        {fields.map(({ name, value }) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <ButtonRow>
          <Button type="submit">{t('button.continue')}</Button>
          <Button
            variant="secondary"
            onClick={() =>
              void navigate({ to: '/payment/$appId/$appNumber', params: { appId, appNumber }, replace: true })
            }
          >
            {t('button.cancel')}
          </Button>
        </ButtonRow>
      </form>
    </Page>
  )
}

function PaymentOutcomeLink({ payment: { appId, appNumber, paymentId } }: { payment: CardPayment }) {
  if (paymentId === undefined)
    return <Navigate to="/payment/$appId/$appNumber" params={{ appId, appNumber }} replace />
  const params = { appId, appNumber, paymentId }
  return <Navigate to="/payResult/$appId/$appNumber/$paymentId" params={params} replace />
}

const sentFlagKey = 'card-payment-sent'

function amountOf(card: CardTarget, language: Language): string {
  const amount = valueOf(card, 'cpm_amount')
  return /^\d+$/.test(amount) ? formatAmount(Number(amount), valueOf(card, 'cpm_currency'), language) : amount
}

function valueOf({ fields }: CardTarget, name: CardField): string {
  return fields.find(field => field.name === name)?.value ?? ''
}
