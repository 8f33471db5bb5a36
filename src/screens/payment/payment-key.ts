/** The part of `Device` that reads and writes the tab storage. */
type TabStorage = {
  randomId(): string
  saveTabText(key: string, text: string | undefined): void
  readTabText(key: string): string | undefined
}

/**
 * Returns the idempotency key of a payment request (D13). The same request keeps its key until its outcome is known, also
 * after a reload, unless another request is made first. Next to the key, the tab storage has fingerprints of the request and
 * of the application id, not the texts: the request contains a phone number, and a shared device keeps the tab storage on its
 * disk.
 */
export function paymentKey(storage: TabStorage, applicationId: string, request: unknown): string {
  const [saved, key] = storage.readTabText(storageKeyOf(applicationId))?.split(' ') ?? []
  const fingerprint = fingerprintOf(JSON.stringify(request))
  if (saved === fingerprint && key !== undefined) return key
  const fresh = storage.randomId()
  storage.saveTabText(storageKeyOf(applicationId), `${fingerprint} ${fresh}`)
  return fresh
}

/**
 * Call when the outcome is known: the next payment needs another key. After a failure that leaves the outcome open, such as
 * a status of 500, the repeated request needs the same key.
 */
export function forgetPaymentKey(storage: TabStorage, applicationId: string): void {
  storage.saveTabText(storageKeyOf(applicationId), undefined)
}

function storageKeyOf(applicationId: string): string {
  return `pay-intent-${fingerprintOf(applicationId)}`
}

/** FNV-1a: 32 bits are enough to distinguish two successive requests. */
function fingerprintOf(text: string): string {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return (hash >>> 0).toString(36)
}
