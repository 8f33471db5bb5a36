import { useState } from 'react'
import type { ApplicationParams, PaymentId } from '#contract/ids.ts'
import type { CancelRefusal } from '#contract/payment.ts'
import { requireReachable } from '#app/require-synced.ts'
import { useLoadedServices } from '#app/services.ts'
import { useNavigateUnlessLeft } from '#app/use-navigate-unless-left.ts'
import { useRequestKey } from '#app/use-request-key.ts'
import { useBusy } from '#ui/use-busy.ts'
import { cancelOutcome } from './cancel-outcome.ts'

/** Cancels an open payment. `refusal` is set when the payment cannot be cancelled yet. */
export function useCancelPayment({ appId, appNumber }: ApplicationParams, paymentId: PaymentId) {
  const services = useLoadedServices()
  const { call, notices, queries, queryClient } = services
  const navigate = useNavigateUnlessLeft()
  const { busy, runOnce } = useBusy()
  const [refusal, setRefusal] = useState<CancelRefusal>()
  const requestKey = useRequestKey()

  async function cancel() {
    setRefusal(undefined)
    if (await requireReachable(services)) await send()
  }

  async function send() {
    const key = requestKey.of(paymentId)
    const outcome = cancelOutcome(await call('cancelPayment', { params: { id: paymentId } }, { key }))
    // The screen has nothing to show.
    if (outcome.kind === 'announced') return
    requestKey.forget()
    if (outcome.kind === 'not-now') return setRefusal(outcome.refusal)
    if (outcome.kind === 'failed') return notices.raise('warning', { key: 'notice.generic' })
    await readAgain()
    if (outcome.kind === 'paid')
      return navigate({
        to: '/payResult/$appId/$appNumber/$paymentId',
        params: { appId, appNumber, paymentId },
      })
    notices.raise('success', { key: 'cancelPayment.done' })
    return navigate({ to: '/payment/$appId/$appNumber', params: { appId, appNumber } })
  }

  /** Reads the list of attempts first, because it says that the applicant, not the provider, has ended the payment. */
  async function readAgain() {
    const { paymentAttempts, payment, lastSuccessfulPayment } = queries
    for (const { queryKey } of [
      paymentAttempts(appId),
      payment(appId, paymentId),
      lastSuccessfulPayment(appId),
    ])
      await queryClient.invalidateQueries({ queryKey })
  }

  return { busy, refusal, cancel: () => runOnce(cancel) }
}
