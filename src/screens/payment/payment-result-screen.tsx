import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Navigate, useLocation, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { firstPollDelayMs } from '#contract/codes.ts'
import { placeholderNumber } from '#contract/id-text.ts'
import type { ApplicationId, ApplicationParams, PaymentId } from '#contract/ids.ts'
import { isPhoneMethod, type Payment, type PaymentAttempt, type PaymentStatus } from '#contract/payment.ts'
import { useText } from '#i18n/intl.ts'
import { CaseFile } from '#case-file/case-file.tsx'
import { methodName } from '#case-file/method-name.ts'
import { summariseAttempts } from '#case-file/payment-summary.ts'
import { useLoadedServices, useServices } from '#app/services.ts'
import { ButtonRow } from '#ui/button.tsx'
import { Loader } from '#ui/loader.tsx'
import { Page, Section } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { NextButtons } from './next-buttons.tsx'
import { PaymentEnding } from './payment-ending.tsx'
import { PaymentFacts } from './payment-facts.tsx'
import styles from './payment-result.module.css'
import { PhoneApproval } from './phone-approval.tsx'
import { isPaymentOpen, usePaymentCheck } from './use-payment-check.ts'
import { WaitingButtons } from './waiting-buttons.tsx'

/** Polls the payment until it has ended, shows how it ended (PAY25–PAY30) and lists all attempts (F1). */
export function PaymentResultScreen() {
  const t = useText()
  const { paymentId, ...address } = useParams({
    from: '/signed-in/payResult/$appId/$appNumber/$paymentId',
  })
  const application = useAddressWithNumber(address)
  const { payment, isUnknown } = usePaymentChecks(paymentId, application.appId)
  const attempts = useAttempts(application.appId, isUnknown ? 'lost' : payment?.paymentStatus)
  const attempt = attempts.find(({ id }) => id === paymentId)
  const status = statusOf(payment, attempt)
  const { paid, open } = summariseAttempts(attempts)
  // Another attempt may have paid, before or after this one: then the screen does not ask to pay again.
  const isPaid = status === 'SUCCESS' || paid !== undefined
  const isWaiting = !isUnknown && !isPaid && isPaymentOpen(status)
  useEndOfWaitingNotices(isWaiting)

  const failure = payment?.failure ?? attempt?.failure
  const isApproval = useIsApproval(payment, attempt) && isWaiting
  const page = t(isApproval ? 'approval.heading' : isWaiting ? 'status.IN_PROGRESS' : 'payResult.heading')
  // Never a failed attempt: its page would look as if this payment had failed.
  const known = isUnknown ? (paid ?? open) : undefined
  // The list may be an earlier answer, which still has this payment: a redirect to the same page would show nothing.
  if (known && known !== attempt)
    return <Navigate to="." params={{ ...application, paymentId: known.id }} replace />
  const hasEnded = status && !isPaymentOpen(status) && (status === 'SUCCESS' || !isPaid)
  const facts = <PaymentFacts number={application.appNumber} payment={payment} />
  return (
    <Page heading={page}>
      <title>{t('app.title', { page })}</title>
      {isUnknown && (
        <Panel tone="warning" announce>
          {t('payResult.unknown')}
        </Panel>
      )}
      {hasEnded && <PaymentEnding {...{ status, failure }} />}
      {status !== 'SUCCESS' && paid && <PaymentEnding status="SUCCESS" order={paid.orderNumber} />}
      {isWaiting && attempt && <OtherPayment attempt={attempt} />}
      {isApproval && payment && <PhoneApproval payment={payment} method={attempt?.method ?? ''} />}
      {isWaiting && <Loader text={t('payResult.waiting')} />}
      {isWaiting && facts}
      {isWaiting && attempt?.state === 'IN_PROGRESS' ? (
        <WaitingButtons params={application} attempt={attempt}>
          <NextButtons {...{ application, isPaid, isWaiting, failure }} />
        </WaitingButtons>
      ) : (
        <ButtonRow>
          <NextButtons {...{ application, isPaid, isWaiting, failure }} />
        </ButtonRow>
      )}
      {/* Once the payment has ended, the buttons for the next step are above the facts. */}
      {!isWaiting && <div className={styles.facts}>{facts}</div>}
      {attempts.length > 0 && (
        <Section headingId="case-heading" heading={t('case.heading')}>
          <CaseFile {...application} attempts={attempts} explained={hasEnded ? attempt : undefined} />
        </Section>
      )}
    </Page>
  )
}

/** The case file may say that the payment failed before a poll does. */
function statusOf(payment: Payment | undefined, attempt: PaymentAttempt | undefined) {
  const status = payment?.paymentStatus
  return isPaymentOpen(status) && attempt?.state === 'ERROR' ? 'ERROR' : status
}

/**
 * Removes the text of the last notice from the page (D51) if it asks to confirm the payment or to wait for the
 * operator: once the page no longer waits for its payment, and at once if no press of Pay that sent a request to a
 * phone has opened the page, because the notice is then about another payment. While the notice is shown, it keeps its
 * time (ERR28, ERR29).
 */
function useEndOfWaitingNotices(isWaiting: boolean): void {
  const { notices } = useServices()
  const wasSent = useWasSentToPhone()
  useEffect(() => {
    if (!isWaiting || !wasSent) notices.end('notice.confirmInApp', 'attemptNext.asking-operator')
  }, [isWaiting, wasSent, notices])
}

/** Whether the press of Pay that opened this page has sent a request to the payer's phone. */
function useWasSentToPhone(): boolean {
  return useLocation({ select: ({ state }) => state.isSentToPhone === true })
}

/**
 * The page of the server to which a card gateway returns leads here with `placeholderNumber`: finds the application number
 * in the list of the applicant who is signed in.
 */
function useAddressWithNumber(address: ApplicationParams): ApplicationParams {
  const { queries, session } = useLoadedServices()
  const applicantId = session.signedInId()
  const { data } = useQuery({
    ...queries.applications(applicantId ?? ''),
    enabled: applicantId !== undefined && address.appNumber === placeholderNumber,
  })
  const number = data?.find(({ id }) => id === address.appId)?.applicationNumber
  return number === undefined ? address : { ...address, appNumber: number }
}

/**
 * Whether the payer approves this payment on a phone. Until the server has answered, and always with another back end, which
 * names no method, the screen knows this only from the press of Pay.
 */
function useIsApproval(payment: Payment | undefined, attempt: PaymentAttempt | undefined): boolean {
  const wasSent = useWasSentToPhone()
  if (attempt) return attempt.next === 'waiting-for-approval'
  if (payment?.methodType === undefined) return wasSent
  return isPhoneMethod(payment.methodType) && payment.needOtp !== true
}

/** Says that this payment was open before the applicant pressed Pay, and which method it uses. */
function OtherPayment({ attempt }: { attempt: PaymentAttempt }) {
  const t = useText()
  const isOther = useLocation({ select: ({ state }) => state.isOtherPayment === true })
  if (!isOther) return null
  return (
    <Panel tone="warning" heading={t('payResult.other')} announce>
      <p>{t('payResult.otherText', { order: attempt.orderNumber, method: methodName(t, attempt) })}</p>
    </Panel>
  )
}

/** Sends the first query shortly after opening, then polls until the payment has ended (PAY26). */
function usePaymentChecks(paymentId: PaymentId, applicationId: ApplicationId) {
  const { device } = useServices()
  const [started, setStarted] = useState(false)
  useEffect(() => device.after(firstPollDelayMs, () => setStarted(true)), [device])
  return usePaymentCheck(paymentId, applicationId, { enabled: started })
}

/**
 * The case file, read again with each new status, when the page becomes visible, and every minute while an attempt has
 * a `nextAt`. `status`: undefined before the first answer; `lost` when the server does not know the payment.
 */
function useAttempts(applicationId: ApplicationId, status: PaymentStatus | 'lost' | undefined) {
  const { queries } = useLoadedServices()
  const { queryKey, ...file } = queries.paymentAttempts(applicationId)
  const { data = [] } = useQuery({
    ...file,
    queryKey: [...queryKey, status ?? 'unknown'],
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.some(({ nextAt }) => nextAt !== null) ? caseFileIntervalMs : false,
    refetchOnWindowFocus: 'always',
  })
  return data
}

/** Longer than the interval between the queries of the payment itself. */
const caseFileIntervalMs = 60_000
