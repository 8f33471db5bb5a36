import { type SaveFailureReason, StorageFault } from './storage-fault.ts'

/** The reason of an error of IndexedDB or Dexie. A full disk often causes an AbortError with the cause in `inner`. */
export function failureReasonOf(error: unknown): SaveFailureReason {
  if (error instanceof StorageFault) return error.reason
  const names = namesIn(error)
  if (names.includes('QuotaExceededError')) return 'full'
  return names.some(name => refusals.has(name)) ? 'refused' : 'lost'
}

/** When opening fails, InvalidStateError means a refusal: private windows of Firefox throw it. */
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
