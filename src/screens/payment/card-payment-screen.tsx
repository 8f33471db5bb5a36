import { Navigate, useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { cardFormDelayMs, type Language } from '#contract/codes.ts'
import type { cardFields } from '#contract/payment.ts'
import { formatAmount } from '#i18n/format.ts'
import { type Translate, useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { type Services, useServices } from '#app/services.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Loader } from '#ui/loader.tsx'
import { Page } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import type { CardTarget } from './card-page.ts'
import { type CardPayment, endVisit, isVisitOver, readCardPayment } from './card-payment.ts'
import { sendCardForm } from './send-card-form.ts'

type CardField = (typeof cardFields)[number]

/** Redirects to the card page, or to the list when this tab has no card payment of this applicant (S12). */
export function CardPaymentScreen() {
  const services = useServices()
  // Reads the state once: while the router opens another screen, the location is already the next one.
  const router = useRouter()
  const [payment] = useState(() => readCardPayment(services, router.state.location.state.cardPayment))
  if (payment === undefined || payment.applicantId !== services.session.signedInId())
    return <Navigate to="/procedure" replace />
  return <RedirectForm payment={payment} />
}

/** Shows the gateway, and the amount if known. Sends the form after a delay (PAY20) unless the applicant cancels. */
function RedirectForm({ payment }: { payment: CardPayment }) {
  const t = useText()
  const language = useLanguage()
  const navigate = useNavigate()
  const { appId, appNumber } = payment
  const { isReturn, send, stop } = useRedirect(payment)
  const page = t('cardPayment.heading')

  // An applicant who returns, from the card page or by the button Forward of the browser, sees the result, or the payment
  // screen, instead of a redirect.
  if (isReturn) return <RedirectToResult payment={payment} />

  return (
    <Page heading={page}>
      <title>{t('app.title', { page })}</title>
      <Panel>
        <p>{leavingText(payment, t, language)}</p>
      </Panel>
      <Loader text={t('cardPayment.automatic')} />
      <ButtonRow>
        <Button onClick={send}>{t('button.continue')}</Button>
        <Button
          variant="secondary"
          onClick={() => {
            // The payment screen opens only after an answer of the server. The form must not be sent in the meantime.
            stop()
            void navigate({ to: '/payment/$appId/$appNumber', params: { appId, appNumber }, replace: true })
          }}
        >
          {t('button.cancel')}
        </Button>
      </ButtonRow>
    </Page>
  )
}

/**
 * Sends the form after the delay, or at once when `send` is called. `stop` ends the delay, so that the form is not sent.
 * `isReturn`: the applicant sees this screen although the `visit` (card-payment.ts) is over.
 */
function useRedirect(payment: CardPayment) {
  const { device } = useServices()
  const { visit } = payment
  const [isReturn, setReturn] = useState(() => isVisitOver(device, visit))
  const cancelDelay = useRef<() => void>(undefined)

  // The visit is over when the applicant leaves the page, also before the form was sent.
  useEffect(() => () => endVisit(device, visit), [device, visit])

  useEffect(() => {
    // The browser may restore this page from its back/forward cache in its old state.
    const stopWatching = device.onPageVisible(() => setReturn(isVisitOver(device, visit)))
    cancelDelay.current = isReturn
      ? undefined
      : device.after(cardFormDelayMs, () => markAndSend(device, payment))
    return () => (stopWatching(), cancelDelay.current?.())
  }, [device, isReturn, payment, visit])

  const stop = () => cancelDelay.current?.()
  return { isReturn, stop, send: () => (stop(), markAndSend(device, payment)) }
}

function markAndSend(device: Services['device'], payment: CardPayment): void {
  endVisit(device, payment.visit)
  sendCardForm(payment)
}

function RedirectToResult({ payment: { appId, appNumber, paymentId } }: { payment: CardPayment }) {
  if (paymentId === undefined)
    return <Navigate to="/payment/$appId/$appNumber" params={{ appId, appNumber }} replace />
  const params = { appId, appNumber, paymentId }
  return <Navigate to="/payResult/$appId/$appNumber/$paymentId" params={params} replace />
}

/** Names the gateway, and the amount if the form has it in the field that the specification names (PAY21). */
function leavingText(card: CardTarget, t: Translate, language: Language): string {
  const gateway = new URL(card.url).host
  const amount = valueOf(card, 'cpm_amount')
  if (!/^\d+$/.test(amount)) return t('cardPayment.leavingTo', { gateway })
  const shown = formatAmount(Number(amount), valueOf(card, 'cpm_currency'), language)
  return t('cardPayment.leaving', { amount: shown, gateway })
}

function valueOf({ fields }: CardTarget, name: CardField): string {
  return fields.find(field => field.name === name)?.value ?? ''
}
