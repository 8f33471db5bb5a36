import type { Contact } from './pending-sign-in.ts'

/** The contact of the applicant that gets a code: the phone number when there are two. */
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
