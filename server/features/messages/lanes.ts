import type { OutgoingMessage } from '#server/integrations/messenger.ts'

/** A code is useless after minutes. A bulk message goes to many people at once, and each of them can wait for it. */
const priorities = { code: 0, notice: 1, bulk: 2 } as const

export function priorityName(priority: number): string {
  return Object.entries(priorities).find(([, each]) => each === priority)?.[0] ?? 'notice'
}

/** Kinds of messages that a job or an operator sends to many people at once. */
const bulkKinds: readonly string[] = ['appointment-reminder', 'day-closed', 'no-show', 'deletion-warning']

/** Returns the number that the outbox stores: a lower number is more urgent. */
export function messagePriorityOf({ kind, message }: { kind: string; message: { code?: string } }): number {
  if (message.code !== undefined) return priorities.code
  return bulkKinds.includes(kind) ? priorities.bulk : priorities.notice
}

/**
 * The messages of one channel and one priority. Each lane has its own limit of messages that one process sends at the
 * same time. So a gateway that hangs holds up no other channel, and thousands of bulk messages hold up no other lane.
 */
export type Lane = { channel: OutgoingMessage['channel']; priority: number; capacity: number }

/** The sum of the capacities of `email` is the number of connections of the SMTP messenger. */
export const lanes: readonly Lane[] = [
  { channel: 'sms', priority: priorities.code, capacity: 10 },
  { channel: 'sms', priority: priorities.notice, capacity: 6 },
  { channel: 'sms', priority: priorities.bulk, capacity: 4 },
  { channel: 'email', priority: priorities.code, capacity: 4 },
  { channel: 'email', priority: priorities.notice, capacity: 3 },
  { channel: 'email', priority: priorities.bulk, capacity: 2 },
]
