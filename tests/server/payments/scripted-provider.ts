import type { PaymentProvider, ProviderStatus, StartOutcome } from '#server/integrations/payment-provider.ts'

/**
 * A fake payment provider. The test sets its answers, or that it does not answer. The code 4711 is right, and makes the
 * status a success.
 */
export function createScriptedProvider() {
  const script: {
    start: StartOutcome | 'silence'
    status: ProviderStatus['kind'] | 'silence' | 'other-amount'
  } = {
    start: { kind: 'accepted', reference: 'their-reference', needsPayerCode: false },
    status: 'pending',
  }
  const callCounts = { start: 0, queryStatus: 0, confirm: 0 }
  const provider: PaymentProvider = {
    async start() {
      callCounts.start += 1
      if (script.start === 'silence') throw new Error('ETIMEDOUT')
      return script.start
    },
    async queryStatus({ orderId, amount, currency }) {
      callCounts.queryStatus += 1
      const { status } = script
      if (status === 'silence') throw new Error('ETIMEDOUT')
      if (status === 'success') return { kind: 'success', orderId, amount, currency }
      if (status === 'other-amount') return { kind: 'success', orderId, amount: amount - 1, currency }
      return status === 'failed'
        ? { kind: 'failed', reason: 'NOT_ENOUGH_FUNDS', failure: 'not-enough-money' }
        : { kind: status }
    },
    async confirmCode(_, code) {
      callCounts.confirm += 1
      if (code !== '4711') return { kind: 'refused', problem: 'payment-code-wrong' }
      script.status = 'success'
      return { kind: 'accepted' }
    },
  }
  return { provider, script, callCounts }
}
