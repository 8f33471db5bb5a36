import { useQuery } from '@tanstack/react-query'
import { Link, Navigate, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { ApplicationParams } from '#contract/ids.ts'
import type { FailureReason } from '#contract/payment-failure.ts'
import type { PaymentAttempt } from '#contract/payment.ts'
import { formatMoment } from '#i18n/format-date.ts'
import { formatAmount } from '#i18n/format.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { LostSteps } from '#case-file/lost-steps.tsx'
import { methodName } from '#case-file/method-name.ts'
import { mainAttempt } from '#case-file/payment-summary.ts'
import { useLoadedServices } from '#app/services.ts'
import { linkButtonClass } from '#ui/button.tsx'
import { RetryPanel } from '#summary/retry-panel.tsx'
import { Loader } from '#ui/loader.tsx'
import { Page } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { SummaryList } from '#ui/summary-list.tsx'
import { offerOf, type Price, priceOf } from './offered-methods.ts'
import { OpenPaymentButtons } from './open-payment-buttons.tsx'
import { FailureText } from './payment-ending.tsx'
import { PaymentForm } from './payment-form.tsx'
import { usePaymentCheck } from './use-payment-check.ts'

/** The fee and the payment methods (PAY01–PAY16). */
export function PaymentScreen() {
  const t = useText()
  const { queries } = useLoadedServices()
  const params = useParams({ from: '/signed-in/payment/$appId/$appNumber' })
  // A payment may end while the applicant uses another app or browser.
  const last = useQuery({
    ...queries.lastSuccessfulPayment(params.appId),
    meta: { staleAtReturnMs: 0 },
  })
  const attempts = useQuery({ ...queries.paymentAttempts(params.appId), refetchOnWindowFocus: 'always' })
  const shownAttempt = mainAttempt(attempts.data ?? [])
  const hasOpenPayment = shownAttempt?.state === 'IN_PROGRESS'
  const methods = useQuery(queries.paymentMethods(params.appId))
  const page = t('payment.heading')

  // The applicant returned from a card page, or paid in another tab (S40).
  if (last.data?.paymentStatus === 'SUCCESS') {
    const paid = { ...params, paymentId: last.data.id }
    return <Navigate to="/payResult/$appId/$appNumber/$paymentId" params={paid} replace />
  }
  return (
    <Page heading={page}>
      <title>{t('app.title', { page })}</title>
      <LostSteps appId={params.appId} />
      {last.isPending || methods.isPending ? (
        <Loader text={t('app.loading')} />
      ) : methods.data === undefined ? (
        <RetryPanel text={t('notice.serviceUnavailable')} query={methods} />
      ) : (
        <>
          {shownAttempt && (hasOpenPayment || shownAttempt.state === 'ERROR') && (
            <AttemptPanel key={shownAttempt.id} params={params} attempt={shownAttempt} />
          )}
          <FeeInformation price={priceOf(methods.data)} />
          <PaymentForm params={params} offer={offerOf(methods.data)} hasOpenPayment={hasOpenPayment} />
          {/* The page `/confirm` says that the data can be changed until the payment, and the list leads only here (CNF07,
              S56). */}
          {!hasOpenPayment && (
            <p className="link-line">
              <Link to="/confirm/$appId/$appNumber" params={params}>
                {t('payment.checkData')}
              </Link>
            </p>
          )}
        </>
      )}
    </Page>
  )
}

type AttemptProps = { params: ApplicationParams; attempt: PaymentAttempt }

/**
 * Polls an open attempt until it has ended (PAY27). A success opens the result page, a failure changes the panel. The same
 * component stays when the list, read again, has the failure too, so that screen readers announce it once.
 */
function AttemptPanel({ params, attempt }: AttemptProps) {
  const { queries, queryClient } = useLoadedServices()
  const { appId } = params
  const isListedOpen = attempt.state === 'IN_PROGRESS'
  const { payment, isUnknown } = usePaymentCheck(attempt.id, appId, { enabled: isListedOpen })
  const status = isListedOpen ? payment?.paymentStatus : 'ERROR'
  const isListOld = isListedOpen && (isUnknown || status === 'ERROR')
  useEffect(() => {
    // The page decides by the list of attempts which button is the main one, so it reads the list again.
    if (isListOld) void queryClient.invalidateQueries({ queryKey: queries.paymentAttempts(appId).queryKey })
  }, [isListOld, queries, queryClient, appId])

  if (status === 'SUCCESS') {
    const paid = { ...params, paymentId: attempt.id }
    return <Navigate to="/payResult/$appId/$appNumber/$paymentId" params={paid} replace />
  }
  if (status !== 'ERROR') return <PaymentStatePanel state="open" {...{ params, attempt }} />
  // `canceled`: the applicant canceled the order.
  const state = attempt.next === 'canceled' ? 'canceled' : 'failed'
  return <PaymentStatePanel {...{ state, params, attempt }} failure={attempt.failure ?? payment?.failure} />
}

const panelTexts = {
  /** Warns an applicant whose payment is still open not to pay a second time. */
  open: { tone: 'warning', heading: 'payment.underWay', text: 'payment.underWayText' },
  /** Tells an applicant whose order failed, or got no final answer, that the application is not paid. */
  failed: { tone: 'danger', heading: 'payment.lastFailed', text: 'payment.lastFailedText' },
  /** Tells an applicant who canceled the order that a late success pays for the application or is refunded. */
  canceled: { tone: 'info', heading: 'payment.lastCanceled', text: 'payment.lastCanceledText' },
} as const

type PaymentStateProps = AttemptProps & {
  state: keyof typeof panelTexts
  failure?: FailureReason | undefined
}

function PaymentStatePanel({ state, params, attempt, failure }: PaymentStateProps) {
  const t = useText()
  const time = formatMoment(attempt.createdAt, useLanguage())
  const method = methodName(t, attempt)
  const { tone, heading, text } = panelTexts[state]
  const follow = (
    <Link
      to="/payResult/$appId/$appNumber/$paymentId"
      params={{ ...params, paymentId: attempt.id }}
      className={linkButtonClass(state === 'open' ? 'primary' : 'secondary')}
    >
      {t('payment.followIt')}
    </Link>
  )
  return (
    // The key makes React render a new panel when the state changes, so that screen readers announce it.
    <Panel key={state} tone={tone} heading={t(heading)} announce>
      {/* Only the text of an open payment names the method. */}
      <p>{t(text, { order: attempt.orderNumber, time, method })}</p>
      {state === 'failed' && <FailureText failure={failure} />}
      {state === 'open' ? (
        <OpenPaymentButtons params={params} attempt={attempt}>
          {follow}
        </OpenPaymentButtons>
      ) : (
        follow
      )}
    </Panel>
  )
}

function FeeInformation({ price }: { price: Price | undefined }) {
  const t = useText()
  const language = useLanguage()
  if (price === undefined) return null
  return (
    <SummaryList
      isReadAloud
      rows={[
        { term: t('payment.productLabel'), value: t('payment.product') },
        { term: t('payment.amount'), value: formatAmount(price.amount, price.currency, language) },
      ]}
    />
  )
}
