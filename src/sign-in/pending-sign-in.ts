import { defaultCodeSeconds } from '#contract/codes.ts'
import type { Device } from '#device/device.ts'

/** The recipient of a code: a phone number as digits with its country code (S42), or an e-mail address. */
export type Contact = { method: 'phone' | 'email'; value: string }

/**
 * A code that was requested: for a sign-in, or for a contact of the account. Only that of a sign-in is saved. It survives a
 * reload of /password, but not the tab (S86). On a shared device it does not survive the reload either: the browser writes
 * the tab storage to its disk, and keeps deleted texts there.
 */
export type PendingSignIn = Contact & {
  /** Wall clock in milliseconds from which the applicant may request another code. */
  until: number
  /** Full length of the countdown in seconds: a clock that was set back cannot make it longer. */
  length: number
  /** The code is no longer valid: too many tries, or it has expired. */
  spent?: boolean
}

const storageKey = 'sign-in'

type Parts = { device: Device; deviceUse: { isShared: () => boolean } }

/**
 * The pending sign-in of this page. On a shared device, and where the browser refuses the tab storage, it is saved nowhere
 * else.
 */
const inMemory = new WeakMap<Device, PendingSignIn>()

export function readPendingSignIn({ device }: Pick<Parts, 'device'>): PendingSignIn | undefined {
  return inMemory.get(device) ?? parseSignIn(device.readTabText(storageKey))
}

/** Returns the contact that the applicant entered before, to correct it instead of typing it again. */
export function readPendingContact(
  parts: Pick<Parts, 'device'>,
  method: Contact['method'],
): string | undefined {
  const pending = readPendingSignIn(parts)
  return pending?.method === method ? pending.value : undefined
}

export function savePendingSignIn({ device, deviceUse }: Parts, pending: PendingSignIn | undefined): void {
  inMemory.delete(device)
  if (pending) inMemory.set(device, pending)
  const survivesReload = pending !== undefined && !deviceUse.isShared()
  device.saveTabText(storageKey, survivesReload ? JSON.stringify(pending) : undefined)
}

/** Returns the pending sign-in of this contact while its code is valid and the server would refuse to send another code. */
export function readUnexpired(
  { device }: Pick<Parts, 'device'>,
  { method, value }: Contact,
): PendingSignIn | undefined {
  const pending = readPendingSignIn({ device })
  if (!pending || pending.spent || pending.method !== method || pending.value !== value) return undefined
  const seconds = (device.now() - pending.until) / 1_000 + pending.length
  return seconds >= 0 && seconds < Math.min(defaultCodeSeconds, pending.length) ? pending : undefined
}

/** Wall clock in milliseconds at which the countdown began: after the answer to the request for the code. */
export function sentAt({ until, length }: PendingSignIn): number {
  return until - length * 1_000
}

/**
 * Marks the pending code of this contact as spent, and keeps the contact so that the applicant can correct it. Since the try,
 * the applicant may have requested a code for another contact.
 */
export function expirePendingCode(parts: Parts, { value }: Pick<Contact, 'value'>): void {
  const pending = readPendingSignIn(parts)
  if (pending?.value === value) savePendingSignIn(parts, { ...pending, spent: true })
}

/** Parses a saved sign-in; undefined for any other text. */
export function parseSignIn(text: string | undefined): PendingSignIn | undefined {
  if (text === undefined) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    return isPendingSignIn(parsed) ? parsed : undefined
  } catch {
    return undefined // not JSON: another script uses the same storage key
  }
}

function isPendingSignIn(parsed: unknown): parsed is PendingSignIn {
  if (typeof parsed !== 'object' || parsed === null) return false
  const { method, value, until, length }: Partial<Record<string, unknown>> = { ...parsed }
  return (
    (method === 'phone' || method === 'email') &&
    typeof value === 'string' &&
    value.length >= 1 &&
    value.length <= 120 &&
    Number.isFinite(until) &&
    Number.isFinite(length)
  )
}

/** Returns the two fields with which a call names the contact. The field of the other kind is empty. */
export function contactFields({ method, value }: Contact): { msisdn: string; email: string } {
  return method === 'phone' ? { msisdn: value, email: '' } : { msisdn: '', email: value }
}
