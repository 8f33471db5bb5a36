import type { ContactKind } from '#contract/account.ts'
import { type Answered, bodyOf, type SignedIn, signIn, type TestBrowser } from './api-client.ts'
import type { TestServer } from './test-server.ts'

/**
 * Proves a contact of the signed-in applicant with a fresh code, which allows one addition or removal of a contact (D70), or
 * the deletion of the account (D112).
 */
export async function proveContact(
  server: TestServer,
  applicant: Pick<TestBrowser, 'call'>,
  contact: { phone: string } | { email: string },
): Promise<void> {
  const kind: ContactKind = 'phone' in contact ? 'phone' : 'email'
  bodyOf(await applicant.call('askProofCode', { body: { kind } }))
  const otp = await server.outbox.codeFor('phone' in contact ? contact.phone : contact.email)
  bodyOf(await applicant.call('proveContact', { body: { kind, otp } }))
}

/**
 * Adds a second contact with all codes that this needs. `by`: the contact that the applicant has. `added`: the second one;
 * either `msisdn` or `email` is ''.
 */
export async function addSecondContact(
  server: TestServer,
  applicant: Pick<TestBrowser, 'call'>,
  { by, added }: { by: { phone: string } | { email: string }; added: { msisdn: string; email: string } },
): Promise<Answered<'confirmContact'>> {
  await proveContact(server, applicant, by)
  bodyOf(await applicant.call('addContact', { body: added }))
  const otp = await server.outbox.codeFor(added.msisdn || added.email)
  return applicant.call('confirmContact', { body: { ...added, otp } })
}

/** Signs in an applicant by phone and adds the e-mail address as the second contact. */
export async function openAccountWithBoth(
  server: TestServer,
  { phone, email } = { phone: '237670000001', email: 'awa@example.cm' },
): Promise<SignedIn> {
  const owner = await signIn(server, { phone })
  bodyOf(await addSecondContact(server, owner, { by: { phone }, added: { msisdn: '', email } }))
  return owner
}
