import type { HistoryState } from '@tanstack/react-router'
import { useState } from 'react'
import type { ApplicationId, ApplicationParams, PaymentId } from '#contract/ids.ts'
import type { CancelRefusal, Payment, PaymentAttempt } from '#contract/payment.ts'
import type { ServerInfo } from '#contract/session.ts'
import { type LoadedServices, useLoadedServices } from '#app/services.ts'
import { requireSynced } from '#app/require-synced.ts'
import { useRecheckState } from '#app/use-recheck-state.ts'
import { useInvalidate } from '#app/use-invalidate.ts'
import { useHasLeft, useNavigateUnlessLeft } from '#app/use-navigate-unless-left.ts'
import { type Countdown, startCountdown } from '#sign-in/countdown.ts'
import { useBusy } from '#ui/use-busy.ts'
import { type CardPayment, endVisit, hideCardPayment } from './card-payment.ts'
import { cardOrigins, knowsCardMethod } from './card-origins.ts'
import type { PaymentAnswers } from './payment-answers.ts'
import { forgetPaymentKey, paymentKey } from './payment-key.ts'
import type { PaymentOutcome } from './payment-outcome.ts'
import { type PaymentRequest, startPayment } from './start-payment.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The result page shows a payment that was open before the applicant pressed Pay. */
    isOtherPayment?: boolean
    /** The press of Pay sent a request to the payer's phone. */
    isSentToPhone?: boolean
  }
}

/** Why a press of Pay led to no payment. The screen shows it until the applicant changes an answer or pays again. */
export type PayRefusal = Pick<Extract<PaymentOutcome, { kind: 'refused' }>, 'messageKey' | 'values'>

/**
 * Pays, and shows the outcome. `cooldown` is set when the server refuses a second payment for a time, because the
 * mobile operator would; `refusal` after an outcome `refused`; `wait` when the card page of the shown payment does not open
 * again. `shownPaymentId`: the payment that the screen shows already.
 */
export function usePay(params: ApplicationParams, shownPaymentId?: PaymentId) {
  const services = useLoadedServices()
  const hasLeft = useHasLeft()
  const invalidate = useInvalidate()
  const recheckState = useRecheckState()
  const { busy, runOnce } = useBusy()
  const [cooldown, setCooldown] = useState<Countdown>()
  const [refusal, setRefusal] = useState<PayRefusal>()
  const [wait, setWait] = useState<CancelRefusal>()
  const showOutcome = useShowOutcome(params, {
    onTooSoon: seconds => setCooldown(startCountdown(services.device.now(), seconds)),
    onRefused: setRefusal,
    onWait: setWait,
    shownPaymentId,
    hasLeft,
  })

  function clear() {
    setCooldown(undefined)
    setRefusal(undefined)
    setWait(undefined)
  }

  async function payOnce(type: PaymentRequest['type'] | '', answers: PaymentAnswers) {
    clear()
    const hasLeftSincePress = services.navigation.watchLeaving()
    if (!(await requireSynced(services, params.appId))) return
    if (type === '') return
    const info = await services.serverInfo.readFresh()
    // No order was sent yet, and the applicant may no longer want to pay.
    if (hasLeftSincePress()) return
    const outcome = await requestPayment(services, params, { type, answers, info })
    // The call may have created an order, which the cached lists do not have.
    const { paymentAttempts, lastSuccessfulPayment } = services.queries
    await invalidate([paymentAttempts(params.appId).queryKey, lastSuccessfulPayment(params.appId).queryKey])
    if (outcome.kind !== 'wrong-state') await showOutcome(outcome)
    // The page that the guard opens explains more than a refusal would.
    else if (!(await recheckState())) await showOutcome({ kind: 'refused', messageKey: 'notice.generic' })
    // Another back end gives no reason, and so refuses in the same way when another device has paid.
    if (outcome.kind === 'refused') await recheckState()
  }

  const pay = (...request: Parameters<typeof payOnce>) => runOnce(() => payOnce(...request))

  return { busy, cooldown, refusal, wait, clear, clearRefusal: () => setRefusal(undefined), pay }
}

async function requestPayment(
  services: LoadedServices,
  { appId, appNumber }: ApplicationParams,
  { type, answers, info }: Pick<PaymentRequest, 'type' | 'answers'> & { info: ServerInfo | undefined },
): Promise<PaymentOutcome> {
  const { call, device } = services
  const returnUrl = device.urlOf(`/payment/${appId}/${appNumber}`)
  const request = { type, answers, applicationId: appId, returnUrl }
  // Once the order of a lost answer has failed, the same request is for a new order, and so gets a new key: for the old
  // key the server would repeat its old answer.
  const failed = failedPayments(services, appId)
  const outcome = await startPayment(call, {
    request,
    key: paymentKey(device, appId, { ...request, failed }),
    origins: cardOrigins(info, returnUrl),
    namesCardMethod: knowsCardMethod(info),
  })
  if (outcome.kind !== 'announced') forgetPaymentKey(device, appId)
  return outcome
}

/**
 * Returns the ids of the payments of this application that have failed, according to the cached list or to a cached
 * poll: the list may be older than the poll.
 */
function failedPayments({ queries, queryClient }: LoadedServices, appId: ApplicationId): string[] {
  const { queryKey } = queries.paymentAttempts(appId)
  const attempts = queryClient
    .getQueriesData<PaymentAttempt[]>({ queryKey })
    .flatMap(([, list]) => list ?? [])
  const polled = queryClient.getQueriesData<Payment>({ queryKey: queries.keyOf('payment', appId) })
  return [
    ...new Set([
      ...attempts.filter(({ state }) => state === 'ERROR').map(({ id }) => id),
      ...polled.flatMap(([, payment]) => (payment?.paymentStatus === 'ERROR' ? [payment.id] : [])),
    ]),
  ].sort()
}

type ShowOptions = {
  onTooSoon: (seconds: number) => void
  onRefused: (refusal: PayRefusal) => void
  onWait: (wait: CancelRefusal) => void
  shownPaymentId: PaymentId | undefined
  /** Whether another page is open: false again when the applicant has come back to the page of the press. */
  hasLeft: () => boolean
}

/**
 * For an applicant who has opened another page during the call. That page does not learn how the payment ends, so the notice
 * only stays for its usual time.
 */
function sayUnderWay({ notices }: Pick<LoadedServices, 'notices'>): void {
  notices.raise('info', { key: 'payment.underWay' })
  notices.end('payment.underWay')
}

/** The result page then says before its first answer what to pay, and what to do on the phone (S61). */
function rememberStarted(
  { queries, queryClient }: Pick<LoadedServices, 'queries' | 'queryClient'>,
  appId: ApplicationId,
  payment: Payment,
): void {
  queryClient.setQueryData(queries.payment(appId, payment.id).queryKey, payment)
}

/** `showCardPage` opens the portal's page before a bank's page; `leaveForPage` opens the page of the server instead. */
function useCardPages(params: ApplicationParams) {
  const services = useLoadedServices()
  const { device, session } = services
  const navigate = useNavigateUnlessLeft()

  function cardPaymentOf(paymentId: PaymentId | undefined): Omit<CardPayment, 'url' | 'fields'> {
    return { ...params, paymentId, applicantId: session.signedInId() ?? '', visit: device.randomId() }
  }

  function showCardPage({ card, paymentId }: Extract<PaymentOutcome, { kind: 'card' }>) {
    const payment = { ...card, ...cardPaymentOf(paymentId) }
    return navigate({ to: '/cardPayment', state: { cardPayment: hideCardPayment(services, payment) } })
  }

  /**
   * On a shared device, a return from the bank opens the last card payment of this tab: save this one, without a form,
   * because the server shows the form. Its visit is over, so that the portal sends no form after the return.
   */
  function leaveForPage({ page, paymentId }: Extract<PaymentOutcome, { kind: 'leave' }>) {
    const payment = { url: '', fields: [], ...cardPaymentOf(paymentId) }
    hideCardPayment(services, payment)
    endVisit(device, payment.visit)
    device.navigateTo(page)
  }

  return { showCardPage, leaveForPage }
}

/** Returns the function that raises the notice of an outcome or opens its page. */
function useShowOutcome(
  params: ApplicationParams,
  { onTooSoon, onRefused, onWait, shownPaymentId, hasLeft }: ShowOptions,
) {
  const services = useLoadedServices()
  const { notices, queries, queryClient } = services
  const navigate = useNavigateUnlessLeft()
  const { showCardPage, leaveForPage } = useCardPages(params)

  function showResult(
    paymentId: PaymentId,
    state: Pick<HistoryState, 'isOtherPayment' | 'isSentToPhone'> = {},
  ) {
    return navigate({
      to: '/payResult/$appId/$appNumber/$paymentId',
      params: { ...params, paymentId },
      state,
    })
  }

  return async (outcome: Exclude<PaymentOutcome, { kind: 'wrong-state' }>) => {
    switch (outcome.kind) {
      case 'announced': // The screen has nothing to show.
        return undefined
      case 'refused':
        onRefused(outcome)
        return notices.raise('warning', { key: outcome.messageKey, values: outcome.values })
      case 'too-soon':
        return onTooSoon(outcome.seconds)
      case 'paid-before':
        // The connection may be lost before the list is read again.
        await queries.rememberPaid(queryClient, params.appId)
        await queryClient.invalidateQueries({ queryKey: queries.keyOf('applications') })
        return navigate({ to: '/appointment/$appId/$appNumber', params })
      case 'card':
        // On a shared device a return from the bank opens the last saved form: it must not be one that no page has shown.
        return hasLeft() ? undefined : showCardPage(outcome)
      case 'leave':
        return hasLeft() ? undefined : leaveForPage(outcome)
      case 'enter-code':
        return navigate({
          to: '/payOtp/$appId/$appNumber/$paymentId',
          params: { ...params, paymentId: outcome.paymentId },
        })
      case 'paying-already':
        if (hasLeft()) return sayUnderWay(services)
        if (outcome.paymentId === shownPaymentId)
          return outcome.wait
            ? onWait(outcome.wait)
            : notices.raise('info', { key: 'attemptNext.asking-operator' })
        notices.raise('info', { key: 'notice.payingAlready' })
        return showResult(outcome.paymentId, { isOtherPayment: true })
      case 'follow':
        if (outcome.confirmInApp) notices.raise('success', { key: 'notice.confirmInApp' })
        if (hasLeft()) notices.end('notice.confirmInApp')
        if (outcome.payment) rememberStarted(services, params.appId, outcome.payment)
        return showResult(outcome.paymentId, { isSentToPhone: outcome.confirmInApp })
    }
  }
}
