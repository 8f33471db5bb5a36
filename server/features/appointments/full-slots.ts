import type { Services } from '#server/calls/services.ts'

type MemoryServices = Pick<Services, 'config' | 'clock'>
type SlotTime = { officeId: number; startsAt: string }

/**
 * How long a slot is remembered. A first reservation in such a slot begins with a statement that stores the refusal
 * only if the tables show no free place (D118). So no applicant loses a place: when a place is free, this statement
 * runs in vain.
 */
const rememberMs = 2_000
/** A few hundred kilobytes. */
const maxSlots = 2_000

/** Until when this process remembers each slot as full. One map for each server: its configuration stays the same object. */
const fullUntilMs = new WeakMap<Services['config'], Map<string, number>>()

/**
 * Remembers this slot as full: `holdPlace` has just answered `full`, for want of a place or because the hold exists
 * already.
 */
export function rememberFull({ config, clock }: MemoryServices, slot: SlotTime): void {
  const slots = fullUntilMs.get(config) ?? new Map<string, number>()
  fullUntilMs.set(config, slots)
  // Sets the slot again, at the end: the first slot of the map is then the one that was found full longest ago.
  slots.delete(keyOf(slot))
  slots.set(keyOf(slot), clock.now().getTime() + rememberMs)
  const [oldest] = slots.keys()
  if (oldest !== undefined && slots.size > maxSlots) slots.delete(oldest)
}

export function forgetFull({ config }: Pick<Services, 'config'>, slot: SlotTime): void {
  fullUntilMs.get(config)?.delete(keyOf(slot))
}

export function isRememberedAsFull({ config, clock }: MemoryServices, slot: SlotTime): boolean {
  return (fullUntilMs.get(config)?.get(keyOf(slot)) ?? 0) > clock.now().getTime()
}

function keyOf({ officeId, startsAt }: SlotTime): string {
  return `${officeId} ${startsAt}`
}
