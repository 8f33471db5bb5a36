import { useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { homeDialCode } from '#contract/codes.ts'
import { knownDialCodes } from '#contract/dial-codes.ts'
import { normaliseName } from '#contract/fields.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { payerNameLimit } from '#contract/payer-input.ts'
import type { PaymentAttempt } from '#contract/payment.ts'
import { splitMsisdn } from '#contract/phone.ts'
import { mainAttempt } from '#case-file/payment-summary.ts'
import { type LoadedServices, useLoadedServices } from '#app/services.ts'
import type { Offer } from './offered-methods.ts'
import { noAnswers, type PaymentAnswers } from './payment-answers.ts'

/**
 * What the form holds when it opens: the phone number of the account, and the applicant's name if the page knows it
 * already. After Try again: the method of the main attempt (the successful one, else the open one, else the newest)
 * and, if the page knows it, the phone number of this attempt. None of these answers is stored.
 */
export function useFirstAnswers(appId: ApplicationId, offer: Offer): PaymentAnswers {
  const services = useLoadedServices()
  const { queries, queryClient, session } = services
  const payAgain = useLocation({ select: ({ state }) => state.payAgain })
  const [first] = useState(() => {
    const again = payAgain === 'same' ? mainAttempt(newestAttempts(services, appId)) : undefined
    const mainPayment = again && queryClient.getQueryData(queries.payment(appId, again.id).queryKey)
    const state = session.state()
    const own = state.kind === 'signed-in' ? (state.claims.msisdn ?? '') : ''
    const form = queryClient.getQueryData(queries.applicationData(appId).queryKey)
    return {
      ...noAnswers,
      ...phoneOf(mainPayment?.phoneNumber || own),
      name: nameOf(form),
      type: offeredType(offer, again),
    }
  })
  return first
}

/** The result page reads the list in queries of its own, so the answer of this page may be from before the last payment. */
function newestAttempts({ queries, queryClient }: LoadedServices, appId: ApplicationId) {
  const { queryKey } = queries.paymentAttempts(appId)
  const newest = queryClient
    .getQueriesData({ queryKey })
    .map(([key]) => queryClient.getQueryState<PaymentAttempt[]>(key))
    .sort((a, b) => (b?.dataUpdatedAt ?? 0) - (a?.dataUpdatedAt ?? 0))[0]
  return newest?.data ?? []
}

function phoneOf(msisdn: string): Pick<PaymentAnswers, 'dialCode' | 'phone'> {
  if (msisdn === '') return { dialCode: homeDialCode, phone: '' }
  const { dialCode, subscriber } = splitMsisdn(msisdn, knownDialCodes)
  return { dialCode, phone: subscriber }
}

/** Empty when the name is longer than a payer's name may be. */
function nameOf({ surname = '', givenName = '' }: { surname?: string; givenName?: string } = {}): string {
  const name = normaliseName(`${givenName} ${surname}`)
  return name.length > payerNameLimit ? '' : name
}

function offeredType(offer: Offer, again: PaymentAttempt | undefined): PaymentAnswers['type'] {
  if (offer.kind !== 'methods') return ''
  return offer.methods.find(({ type }) => type === again?.methodType)?.type ?? ''
}
