import type { Standing } from './standings.ts'

/** How many things the server does not have; what the gate asks (D33). */
export function countUnsent({ kind }: Standing): number {
  return kind === 'none' || kind === 'kept' || kind === 'sent' || kind === 'not-kept' ? 0 : 1
}
