import { Counter, Histogram } from 'prom-client'

/**
 * Counts what applicants, gateways and jobs do, in the memory of this process: a count costs no SQL statement. The labels
 * are words of closed lists and country codes, never data of a person. An event is counted when its outcome is known,
 * after the commit if there is one. A process that ends loses its counts, which Prometheus expects.
 */
export const signIns = count('sign_ins_total', 'Sessions that a one-time code opened', [])
export const codesSent = count('codes_sent_total', 'One-time codes given to the outbox', codeLabels())
export const codesUsed = count(
  'codes_used_total',
  'One-time codes that applicants used: wrong tries do not count',
  codeLabels(),
)
export const applicationsCreated = count('applications_created_total', 'Applications that were begun', [])
export const draftsSaved = count('drafts_saved_total', 'Saves of a form that is not finished', [])
export const formsSubmitted = count('submits_total', 'Forms that applicants submitted as complete', [])
export const formsConfirmed = count('confirmations_total', 'Forms that applicants confirmed', [])
export const holds = count('holds_total', 'Reservations, of a place or in a general queue', [])
export const bookings = count('bookings_total', 'Reservations that applicants confirmed', [])
export const holdsLost = count(
  'holds_lost_total',
  'Reservations that were over when applicants confirmed them',
  [],
)
export const refusals = count('refusals_total', 'Calls that a rule refused, by call and problem', [
  'call',
  'problem',
])
export const paymentOrders = count('payment_orders_total', 'Payment orders that applicants opened', [
  'method',
])
export const payments = count(
  'payments_total',
  'Payments that ended: success, or the reason of the failure',
  ['method', 'outcome'],
)
export const messages = count(
  'messages_total',
  'Tries to send a message, and reports about messages: sent, retried, failed, delivered, undelivered',
  ['channel', 'outcome'],
)
export const gatewayRequests = count(
  'gateway_requests_total',
  'Requests to gateways of messages and payments: answered, refused (only the message, not the service), or failed',
  ['gateway', 'outcome'],
)
export const jobRuns = count('job_runs_total', 'Runs of jobs in this process: done, or failed', [
  'job',
  'outcome',
])

export const messageWaits = time(
  'message_taken_seconds',
  'From the cause of a message until a gateway accepted it',
  ['channel', 'priority'],
  [1, 2, 5, 10, 30, 60, 300, 1_800, 14_400],
)
export const deliveries = time(
  'message_delivered_seconds',
  'From the acceptance of a message by a gateway until its delivery, by the report of the gateway',
  ['channel', 'priority'],
  [2, 5, 10, 30, 60, 300, 1_800, 14_400],
)
export const jobTimes = time('job_seconds', 'Duration of a run of a job', ['job'], [0.1, 1, 5, 20, 60, 300])

/** All of them, for the registry of the metrics. */
export const eventMetrics = [
  signIns,
  codesSent,
  codesUsed,
  applicationsCreated,
  draftsSaved,
  formsSubmitted,
  formsConfirmed,
  holds,
  bookings,
  holdsLost,
  refusals,
  paymentOrders,
  payments,
  messages,
  gatewayRequests,
  jobRuns,
  messageWaits,
  deliveries,
  jobTimes,
]

/** `dial_code` is '' for an e-mail. */
function codeLabels() {
  return ['channel', 'dial_code'] as const
}

function count<Label extends string>(
  name: string,
  help: string,
  labelNames: readonly Label[],
): Counter<Label> {
  return new Counter({ name, help, labelNames, registers: [] })
}

function time<Label extends string>(
  name: string,
  help: string,
  labelNames: readonly Label[],
  buckets: number[],
): Histogram<Label> {
  return new Histogram({ name, help, labelNames, buckets, registers: [] })
}
