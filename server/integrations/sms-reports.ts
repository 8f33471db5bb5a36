import * as z from 'zod/mini'

export const reportingProviders = ['orange', 'infobip'] as const
export type ReportingProvider = (typeof reportingProviders)[number]

/**
 * A gateway's later report about a message that it accepted. `reference` is the same as in its `SendResult`.
 * `pending` is not final; another report may follow.
 */
export type DeliveryReport = { reference: string; outcome: 'delivered' | 'undelivered' | 'pending' }

/** Reads the reports from a gateway's request body. Returns an empty list when the body has another shape. */
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
  const report = OrangeReport.safeParse(body).data?.deliveryInfoNotification
  if (!report) return []
  const { deliveryStatus } = report.deliveryInfo
  return [{ reference: report.callbackData, outcome: orangeOutcomes.get(deliveryStatus) ?? 'pending' }]
}

/** The final statuses. DeliveredToNetwork, DeliveryUncertain and MessageWaiting are not final. */
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
  // The operator has received the message, but perhaps the applicant's phone has not.
  if (groupName === 'DELIVERED') return name === 'DELIVERED_TO_OPERATOR' ? 'pending' : 'delivered'
  return ['UNDELIVERABLE', 'EXPIRED', 'REJECTED'].includes(groupName) ? 'undelivered' : 'pending'
}
