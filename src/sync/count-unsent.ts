import type { Standing } from './standings.ts'

/** How many things the server does not have; what the gate asks (D33). */
export function countUnsent({ kind }: Standing): number {
  return kind === 'none' || kind === 'kept' || kind === 'sent' || kind === 'not-kept' ? 0 : 1
}

/** Answers that the server does not have, whether or not it takes them yet: they go with this device's store. */
export function isHereAlone({ kind }: Standing): boolean {
  return kind !== 'none' && kind !== 'sent'
}
