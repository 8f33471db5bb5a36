import { randomBytes, randomInt } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Language } from '#contract/codes.ts'
import { contactValue, contactValueOrNull, columnIsContact } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import { enqueue } from '#server/features/messages/outbox.ts'
import { refuse, type Refusal } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import { codesSent } from '#server/calls/event-counts.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { durationText } from '#server/i18n/duration-text.ts'
import { findApplicant } from './applicant.ts'
import { countForNetworks } from './captcha-demand.ts'
import { budgetOf, useBudget } from './code-budget.ts'
import { triesPerCode } from './code-check-rule.ts'
import { answerOfBudget } from './code-demand-rule.ts'
import { networksOf } from '#server/calls/networks.ts'
import { type CodeRequest, limitOfContact } from './send-limits.ts'
import type { Contact } from './contact.ts'
import { keyedHash, plainHash } from '#server/crypto/keyed-hash.ts'
import { codeLabelsOf, findOtherContact } from './other-contact.ts'
import { countDown } from '#server/database/usage-counts.ts'

type CodeSending = CodeRequest & {
  language: Language
  /** Without a solved captcha the code is refused when the codes that others request at the same time make it need one. */
  isCaptchaSolved: boolean
  /** The browser has proven the typed contact before, so it may use the last codes of the budget (D91). */
  isKnownBrowser: boolean
}

/**
 * E-mails cost nothing, so an operator may allow many more codes by e-mail than by SMS: two more digits make a guess a
 * hundred times less likely (D124). An SMS has six, which a person can remember.
 */
const codeDigits = { phone: 6, email: 8 } as const

/** `isReserved`: a contact without an account gets no code now, and the answer says so. This one may have got none. */
export type SentCode = { isReserved: boolean }

/**
 * Sends a code unless a limit forbids it. The answer (but for `answerOfBudget`) and the work of the server are the same
 * whether or not the contact is known, and by the other channel whether or not there is another contact. Otherwise an
 * attacker could learn who has an account, or that a number and an address belong together.
 *
 * The code is counted before its transaction, because all applicants share the counters: in the transaction only rows
 * of this contact are held.
 */
export async function sendCode(services: Services, sending: CodeSending): Promise<SentCode | Refusal> {
  const { contact, address, otherChannel, onlyTo, isCaptchaSolved, isKnownBrowser } = sending
  const { db, config } = services
  const to = await findRecipient(db, sending)
  // The answer must not say whether there is a recipient.
  const isSecret = otherChannel || onlyTo !== undefined
  const hasAccount = await isOwned(db, to)
  const { counted, work } = await countForNetworks(services, address)
  const takeBack = async (refused: Refusal) => {
    await countDown(db, counted)
    return refused
  }
  if (work > 0 && !isCaptchaSolved) return takeBack(refuse('too-many-from-network', { data: { work } }))
  const used = await useBudget(services, { contact: to, hasAccount, isKnownBrowser })
  const { isCounted } = used
  const answer = answerOfBudget(used, { hasAccount, isKnownBrowser, isSecret })
  if (used.counted) counted.push(used.counted)
  else if (answer.isRefused) return takeBack(refuse(budgetOf(config, to).spentProblem))
  const refused = await storeInTurn(services, {
    ...sending,
    to: isCounted ? to : { ...to, value: '', address: '' },
  })
  if (refused) return takeBack(refused)
  if (isCounted && to.address !== '') codesSent.inc(codeLabelsOf(contact, otherChannel))
  return { isReserved: answer.isReserved }
}

/** Without a recipient, `value` and `address` are empty. */
async function findRecipient(
  db: Kysely<Schema>,
  { contact, otherChannel, onlyTo }: CodeRequest,
): Promise<Contact> {
  if (otherChannel) return findOtherContact(db, contact)
  if (onlyTo === undefined) return contact
  const owner = await findApplicant(db, contact)
  const isRecipient = owner === onlyTo.applicantId && contact.kind === onlyTo.kind
  return isRecipient ? contact : { ...contact, value: '', address: '', dialCode: '' }
}

/** Whether the contact belongs to an applicant. */
async function isOwned(db: Kysely<Schema>, { kind, value }: Contact): Promise<boolean> {
  const owned = await db
    .selectFrom('contact')
    .select('applicant_id')
    .where('kind', '=', kind)
    .where(columnIsContact('value', value))
    .executeTakeFirst()
  return owned !== undefined
}

/** Requests for one contact run one after the other, so that its limits are exact. */
function storeInTurn(
  services: Services,
  sending: CodeSending & { to: Contact },
): Promise<Refusal | undefined> {
  const { contact } = sending
  return services.db.transaction().execute(async trx => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`code ${contact.kind} ${contact.value}`}, 0))`.execute(
      trx,
    )
    const limit = await limitOfContact(trx, services, sending)
    if (limit.refused) return limit.refused
    const challenge = await openChallenge(trx, sending)
    await storeCode(trx, services, { ...sending, challenge })
    return undefined
  })
}

/**
 * Returns the challenge of contact and browser. Resets its tries and its wait when it has no code that is still valid, or no
 * try left: the try that used them up may not have ended its codes yet, and without a try the new code opens nothing.
 */
async function openChallenge(trx: Kysely<Schema>, { contact, browser }: CodeRequest): Promise<string> {
  // A row from before the encryption, or before a change of its key, has the contact in another form (D71).
  await sql`
    update challenge set value = ${contactValue(contact.value)}
    where kind = ${contact.kind} and ${columnIsContact('value', contact.value)} and browser_hash = ${plainHash(browser)}
      and value <> ${contactValue(contact.value)}`.execute(trx)
  const opened = await sql<{ id: string }>`
    insert into challenge (kind, value, browser_hash, dial_code)
    values (${contact.kind}, ${contactValue(contact.value)}, ${plainHash(browser)}, ${contact.dialCode})
    on conflict (kind, value, browser_hash) do update set (tries, next_try_at) = (
      select case when is_open then challenge.tries else 0 end, case when is_open then challenge.next_try_at end
      from (select exists (
        select 1 from one_time_code
        where challenge_id = challenge.id and challenge.tries < ${triesPerCode}
          and used_at is null and expires_at > now()) as is_open) as codes)
    returning id`.execute(trx)
  const id = opened.rows[0]?.id
  if (id === undefined) throw new Error('The challenge was not stored.')
  return id
}

async function storeCode(
  trx: Kysely<Schema>,
  services: Services,
  sending: CodeSending & { to: Contact; challenge: string },
): Promise<void> {
  const { config, secrets } = services
  const { to, otherChannel, challenge, language, address } = sending
  const hasNoRecipient = to.address === ''
  const digits = codeDigits[to.kind]
  const code = String(randomInt(10 ** digits)).padStart(digits, '0')
  const stored = await trx
    .insertInto('one_time_code')
    .values({
      challenge_id: challenge,
      // Without a recipient, a random value is stored that no digits can match.
      code_hash: keyedHash(
        secrets.codeKey,
        challenge,
        hasNoRecipient ? randomBytes(32).toString('hex') : code,
      ),
      other_channel: otherChannel,
      network: networksOf(services, address)?.wide ?? '',
      sent_to: contactValueOrNull(otherChannel && !hasNoRecipient ? to.value : null),
      expires_at: sql<Date>`now() + make_interval(secs => ${config.otpTtlSeconds})`,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const t = translateTo(language)
  const values = {
    code,
    duration: durationText(t, config.otpTtlSeconds),
    host: new URL(config.publicOrigin).hostname,
  }
  const channel = to.kind === 'phone' ? 'sms' : 'email'
  await enqueue(trx, {
    // `watchCodeUse` finds the message by this key.
    key: `otp-${challenge}-${stored.id}`,
    channel,
    kind: 'otp',
    // In small letters, as the contact of the account: a message is found by its recipient.
    recipient: to.address.toLowerCase(),
    message: { subject: t('code.subject'), text: t(`code.${channel}`, values), code },
    uselessAfterSeconds: config.otpTtlSeconds,
  })
}
