/** Where a tab keeps small texts; a device's own memory in the portal. */
type TabStorage = {
  randomId(): string
  saveTabText(key: string, text: string | undefined): void
  readTabText(key: string): string | undefined
}

/**
 * The key of an intent to pay (D13): made before the first try, the same for the same wish until it is answered,
 * also across a reload. The wish itself holds a phone number, so only its fingerprint is kept.
 */
export function paymentKey(storage: TabStorage, applicationId: string, request: unknown): string {
  const [kept, key] = storage.readTabText(storageKeyOf(applicationId))?.split(' ') ?? []
  const fingerprint = fingerprintOf(JSON.stringify(request))
  if (kept === fingerprint && key !== undefined) return key
  const fresh = storage.randomId()
  storage.saveTabText(storageKeyOf(applicationId), `${fingerprint} ${fresh}`)
  return fresh
}

/** It was answered, with yes or no: paying once more is another intent. */
export function forgetPaymentKey(storage: TabStorage, applicationId: string): void {
  storage.saveTabText(storageKeyOf(applicationId), undefined)
}

function storageKeyOf(applicationId: string): string {
  return `pay-intent-${applicationId}`
}

/** Tells two wishes apart without being readable; 32 bits are ample for one after another. */
function fingerprintOf(text: string): string {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return (hash >>> 0).toString(36)
}
