import { defaultCodeSeconds } from '#contract/codes.ts'
import type { Device } from '#device/device.ts'

/** Whom a code goes to: a phone by its digits, country code first (S42), or an e-mail address. */
export type Contact = { method: 'phone' | 'email'; value: string }

/** A code is on its way; it outlives a reload of /password, not the tab (S86). */
export type PendingSignIn = Contact & {
  /** Wall clock at which a new code may be asked for. */
  until: number
  /** Seconds the countdown began with; a clock that was set back never makes it longer. */
  length: number
  /** The code leads nowhere any more: too many tries, or its time is over. */
  spent?: boolean
}

const storageKey = 'sign-in'

export function readPendingSignIn(device: Device): PendingSignIn | undefined {
  return parseSignIn(device.readTabText(storageKey))
}

/** What was given on a method's page before, to be mended rather than typed again. */
export function readPendingContact(device: Device, method: Contact['method']): string | undefined {
  const pending = readPendingSignIn(device)
  return pending?.method === method ? pending.value : undefined
}

export function savePendingSignIn(device: Device, pending: PendingSignIn | undefined): void {
  device.saveTabText(storageKey, pending && JSON.stringify(pending))
}

/** What went to this very contact so lately that no other code is to be had yet: that one still opens the door. */
export function readUnexpired(device: Device, { method, value }: Contact): PendingSignIn | undefined {
  const pending = readPendingSignIn(device)
  if (!pending || pending.spent || pending.method !== method || pending.value !== value) return undefined
  const seconds = (device.now() - pending.until) / 1_000 + pending.length
  return seconds >= 0 && seconds < Math.min(defaultCodeSeconds, pending.length) ? pending : undefined
}

/** The contact is kept, to be mended rather than typed again; its code is not to be waited for. */
export function expirePendingCode(device: Device): void {
  const pending = readPendingSignIn(device)
  if (pending) savePendingSignIn(device, { ...pending, spent: true })
}

/** Anything that is not a kept sign-in is none. */
export function parseSignIn(text: string | undefined): PendingSignIn | undefined {
  if (text === undefined) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    return isPendingSignIn(parsed) ? parsed : undefined
  } catch {
    return undefined // not JSON: somebody else's text under our key
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

/** The two fields by which every sign-in call names its contact. */
export function contactFields({ method, value }: Contact): { msisdn: string; email: string } {
  return method === 'phone' ? { msisdn: value, email: '' } : { msisdn: '', email: value }
}
