/**
 * Why this device cannot keep what is typed, as a closed list: `full` no room; `refused` the browser does not let
 * us (private mode, policy); `hangs` no answer in time; `lost` the connection broke and did not come back;
 * `blocked` another tab with an older release holds the database.
 */
export type SaveFailureReason = 'full' | 'refused' | 'hangs' | 'lost' | 'blocked'

/** The storage failed; nothing is wrong with what was to be kept. */
export class StorageFault extends Error {
  readonly reason: SaveFailureReason
  constructor(why: SaveFailureReason, cause?: unknown) {
    super(`the storage of this device: ${why}`, { cause })
    this.name = 'StorageFault'
    this.reason = why
  }
}

/** What a failure of IndexedDB or Dexie means. A full disk often comes as an AbortError around the real one. */
export function failureReasonOf(error: unknown): SaveFailureReason {
  if (error instanceof StorageFault) return error.reason
  const names = namesIn(error)
  if (names.includes('QuotaExceededError')) return 'full'
  return names.some(name => refusals.has(name)) ? 'refused' : 'lost'
}

/** The same words mean something else before there is a connection: Firefox's private windows say them. */
export function openFailureReasonOf(error: unknown): SaveFailureReason {
  return namesIn(error).includes('InvalidStateError') ? 'refused' : failureReasonOf(error)
}

const refusals = new Set(['SecurityError', 'NotAllowedError', 'MissingAPIError', 'MissingApiError'])

function namesIn(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) return []
  const name = 'name' in error && typeof error.name === 'string' ? [error.name] : []
  const message = 'message' in error && typeof error.message === 'string' ? error.message : ''
  const refused = /did not allow mutations/.test(message) ? ['NotAllowedError'] : []
  return [...name, ...refused, ...namesIn('inner' in error ? error.inner : undefined)]
}
