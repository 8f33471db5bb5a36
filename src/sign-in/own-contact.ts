import type { Contact } from './pending-sign-in.ts'

/** Which contact of the applicant gets a code: the phone number when there are two. Undefined when there is none. */
export function findOwnContact({
  msisdn,
  email,
}: {
  msisdn: string | null
  email: string | null
}): Contact | undefined {
  if (msisdn) return { method: 'phone', value: msisdn }
  return email ? { method: 'email', value: email } : undefined
}
