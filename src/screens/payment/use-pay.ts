import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ApplicationId, ApplicationNumber, PaymentId } from '#contract/ids.ts'
import { type Services, useLoadedServices } from '#app/services.ts'
import { requireSynced } from '#app/require-synced.ts'
import { type Countdown, startCountdown } from '#sign-in/countdown.ts'
import { applicantOf, hideCardPayment } from './card-payment.ts'
import { cardOrigins, knowsCardMethod } from './card-origins.ts'
import type { PaymentAnswers } from './payment-answers.ts'
import { forgetPaymentKey, paymentKey } from './payment-key.ts'
import type { PaymentOutcome } from './payment-outcome.ts'
import { type PaymentRequest, startPayment } from './start-payment.ts'

type ApplicationParams = { appId: ApplicationId; appNumber: ApplicationNumber }

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The result page shows a payment that was open before the applicant pressed Pay. */
    isOtherPayment?: boolean
  }
}

/**
 * Pays, and shows the outcome. `cooldown` is set when the operator refuses a second payment for a time. `shownPaymentId`:
 * the payment that the screen shows already.
 */
export function usePay(params: ApplicationParams, shownPaymentId?: PaymentId) {
  const services = useLoadedServices()
  const [busy, setBusy] = useState(false)
  const [cooldown, setCooldown] = useState<Countdown>()
  const showOutcome = useShowOutcome(params, {
    onTooSoon: seconds => setCooldown(startCountdown(services.device.now(), seconds)),
    shownPaymentId,
  })

  async function pay(type: PaymentRequest['type'] | '', answers: PaymentAnswers) {
    setBusy(true)
    setCooldown(undefined)
    try {
      if (!(await requireSynced(services, params.appId))) return
      if (type !== '') await showOutcome(await requestPayment(services, params, { type, answers }))
    } finally {
      setBusy(false)
    }
  }

  return { busy, cooldown, clearCooldown: () => setCooldown(undefined), pay }
}

async function requestPayment(
  { call, device, serverInfo }: Services,
  { appId, appNumber }: ApplicationParams,
  { type, answers }: Pick<PaymentRequest, 'type' | 'answers'>,
): Promise<PaymentOutcome> {
  const returnUrl = device.urlOf(`/payment/${appId}/${appNumber}`)
  const request = { type, answers, applicationId: appId, returnUrl }
  const info = await serverInfo.readFresh()
  const outcome = await startPayment(call, {
    request,
    key: paymentKey(device, appId, request),
    places: cardOrigins(info, returnUrl),
    namesCardMethod: knowsCardMethod(info),
  })
  if (outcome.kind !== 'announced') forgetPaymentKey(device, appId)
  return outcome
}

/** Returns the function that raises the notice of an outcome or opens its page. */
function useShowOutcome(
  params: ApplicationParams,
  {
    onTooSoon,
    shownPaymentId,
  }: { onTooSoon: (seconds: number) => void; shownPaymentId: PaymentId | undefined },
) {
  const services = useLoadedServices()
  const { device, notices, queryClient, session } = services
  const navigate = useNavigate()

  function showResult(paymentId: PaymentId, isOtherPayment = false) {
    return navigate({
      to: '/payResult/$appId/$appNumber/$paymentId',
      params: { ...params, paymentId },
      state: { isOtherPayment },
    })
  }

  return async (outcome: PaymentOutcome) => {
    switch (outcome.kind) {
      case 'announced':
        return undefined
      case 'refused':
        return notices.raise('warning', { key: outcome.messageKey, values: outcome.values })
      case 'too-soon':
        return onTooSoon(outcome.seconds)
      case 'paid-before':
        await queryClient.invalidateQueries({ queryKey: ['applications'] })
        return navigate({ to: '/appointment/$appId/$appNumber', params })
      case 'card': {
        const { card, paymentId } = outcome
        const owner = { applicantId: applicantOf(session), visit: device.randomId() }
        const payment = { ...card, ...params, paymentId, ...owner }
        return navigate({
          to: '/cardPayment',
          state: { cardPayment: hideCardPayment(services, payment) },
        })
      }
      case 'leave':
        return device.navigateTo(outcome.page)
      case 'enter-code':
        return navigate({
          to: '/payOtp/$appId/$appNumber/$paymentId',
          params: { ...params, paymentId: outcome.paymentId },
        })
      case 'paying-already':
        if (outcome.paymentId === shownPaymentId)
          return notices.raise('info', { key: 'payResult.cardUnderWay' })
        notices.raise('info', { key: 'notice.payingAlready' })
        return showResult(outcome.paymentId, true)
      case 'follow':
        if (outcome.confirmInApp) notices.raise('success', { key: 'notice.confirmInApp' })
        return showResult(outcome.paymentId)
    }
  }
}
