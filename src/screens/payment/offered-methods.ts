import { type MethodType, methodTypes, type PaymentMethod } from '#contract/payment.ts'

export type PayableType = Exclude<MethodType, 'WHITELIST'>

export type OfferedMethod = {
  type: PayableType
  fee: number
  currency: string
  /** The fee differs from the fee information, so the tile shows it (S27). */
  hasOwnFee: boolean
  /** The operators of an aggregator; empty for other methods. */
  operators: readonly string[]
}

export type Price = { amount: number; currency: string }

/** `whitelist`: the applicant paid in the old system and has nothing to choose (S11). */
export type Offer = { kind: 'whitelist' } | { kind: 'methods'; methods: OfferedMethod[] } | { kind: 'none' }

/** Returns the fee of the first entry, enabled or not (PAY01, PAY02). */
export function priceOf([first]: readonly PaymentMethod[]): Price | undefined {
  return first && { amount: first.fee, currency: first.currency }
}

/** Offers the enabled entries of a known type, each type once (PAY04, S39). */
export function offerOf(entries: readonly PaymentMethod[]): Offer {
  const enabled = entries.filter(entry => entry.enable)
  if (enabled.some(({ type }) => type === 'WHITELIST')) return { kind: 'whitelist' }
  const methods = payableTypesOf(enabled).flatMap(type => {
    const entry = enabled.find(each => each.type === type)
    return entry ? [describe(type, entry, priceOf(entries))] : []
  })
  return methods.length > 0 ? { kind: 'methods', methods } : { kind: 'none' }
}

/** Keeps the order of the server. */
function payableTypesOf(entries: readonly PaymentMethod[]): PayableType[] {
  const types = entries.flatMap(entry => methodTypes.filter(type => type === entry.type))
  return [...new Set(types)].filter(type => type !== 'WHITELIST')
}

function describe(type: PayableType, entry: PaymentMethod, price: Price | undefined): OfferedMethod {
  const { fee, currency, methods: operators } = entry
  const hasOwnFee = fee !== price?.amount || currency !== price.currency
  return { type, fee, currency, hasOwnFee, operators: operators ?? [] }
}
