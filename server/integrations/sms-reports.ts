import * as z from 'zod/mini'

export const reportingProviders = ['orange', 'infobip'] as const
export type ReportingProvider = (typeof reportingProviders)[number]

/** What a gateway says later of a message it took. `pending`: on its way, more may come. */
export type DeliveryReport = { reference: string; outcome: 'delivered' | 'undelivered' | 'pending' }

/** The reports in what a gateway posts; none in what is not of its shape. */
export function readReports(provider: ReportingProvider, body: unknown): DeliveryReport[] {
  return provider === 'orange' ? readOrange(body) : readInfobip(body)
}

const OrangeReport = z.object({
  deliveryInfoNotification: z.object({
    callbackData: z.string(),
    deliveryInfo: z.object({ deliveryStatus: z.string() }),
  }),
})

function readOrange(body: unknown): DeliveryReport[] {
  const read = OrangeReport.safeParse(body).data?.deliveryInfoNotification
  if (!read) return []
  const { deliveryStatus } = read.deliveryInfo
  return [{ reference: read.callbackData, outcome: orangeOutcomes.get(deliveryStatus) ?? 'pending' }]
}

/** DeliveredToNetwork, DeliveryUncertain and MessageWaiting are no end yet. */
const orangeOutcomes = new Map<string, DeliveryReport['outcome']>([
  ['DeliveredToTerminal', 'delivered'],
  ['DeliveryImpossible', 'undelivered'],
])

const InfobipReports = z.object({
  results: z.array(
    z.object({ messageId: z.string(), status: z.object({ groupName: z.string(), name: z.string() }) }),
  ),
})

function readInfobip(body: unknown): DeliveryReport[] {
  const results = InfobipReports.safeParse(body).data?.results ?? []
  return results.map(({ messageId, status }) => ({ reference: messageId, outcome: infobipOutcome(status) }))
}

function infobipOutcome({ groupName, name }: { groupName: string; name: string }): DeliveryReport['outcome'] {
  // That the operator has it is not yet that the phone has.
  if (groupName === 'DELIVERED') return name === 'DELIVERED_TO_OPERATOR' ? 'pending' : 'delivered'
  return ['UNDELIVERABLE', 'EXPIRED', 'REJECTED'].includes(groupName) ? 'undelivered' : 'pending'
}
