import { type Kysely, sql } from 'kysely'
import type { ContactKind } from '#contract/account.ts'
import type { Configuration } from '#server/config/config.ts'
import { columnIsContact } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import { refuse, type Refusal } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import type { PuzzleWork } from './captcha.ts'
import type { Contact } from './contact.ts'
import { knownBrowserDays, limitAfter, type RecentCode } from './send-limit-rule.ts'
import { networksOf } from '#server/calls/networks.ts'
import { plainHash } from '#server/crypto/keyed-hash.ts'

/**
 * The contact that needs a code, the browser and the IP address that ask, and whether the code goes to the other
 * contact (F6). `onlyTo`: the code is sent only when the contact belongs to this account and is of this kind (D122).
 */
export type CodeRequest = {
  contact: Contact
  browser: string
  address: string
  otherChannel: boolean
  onlyTo?: { applicantId: string; kind: ContactKind } | undefined
}

/** `work`: how hard a puzzle the codes to this contact demand. */
export type ContactLimit = { refused: Refusal | undefined; work: 0 | PuzzleWork; isKnownBrowser: boolean }

/**
 * Returns the seconds between two codes to one contact: a minute, or the lifetime of a code if that is shorter. The
 * limits of an hour and of a day can demand a longer wait.
 */
function secondsBetween(config: Configuration): number {
  return Math.min(60, config.otpTtlSeconds)
}

/**
 * Checks the limits of one contact (`limitAfter`). `refused` names the seconds until the next code, and is the same for
 * contacts with and without an account.
 */
export async function limitOfContact(
  db: Kysely<Schema>,
  services: Services,
  request: CodeRequest,
): Promise<ContactLimit> {
  const { recent, isKnownBrowser } = await readRecentCodes(db, services, request)
  const secondsBetweenCodes = secondsBetween(services.config)
  const { otherChannel } = request
  const { waitSeconds, work } = limitAfter(recent, { isKnownBrowser, otherChannel, secondsBetweenCodes })
  return {
    refused: waitSeconds > 0 ? refuse('too-many-for-contact', { data: { seconds: waitSeconds } }) : undefined,
    work,
    isKnownBrowser,
  }
}

/** Without any code, the one row has only `isKnownBrowser`. */
type CodeRow = { isKnownBrowser: boolean } & (RecentCode | { ageSeconds: null })

/**
 * Reads all codes of a day: the limits bound how many there are. Leaves out a code whose time is more than a minute from now,
 * because the clock of the database was ahead when it was stored (D95): the contact would have to wait until that time.
 */
async function readRecentCodes(
  db: Kysely<Schema>,
  services: Services,
  { contact, browser, address }: CodeRequest,
): Promise<{ recent: RecentCode[]; isKnownBrowser: boolean }> {
  const wide = networksOf(services, address)?.wide ?? ''
  const { rows } = await sql<CodeRow>`
    with recent as (
      select extract(epoch from now() - code.sent_at)::float8 as "ageSeconds", code.used_at is not null as "isUsed",
        code.other_channel as "otherChannel", challenge.tries,
        challenge.browser_hash = ${plainHash(browser)} as "isOwn",
        coalesce(code.network = nullif(${wide}, ''), false) as "isFromSameWideNetwork"
      from one_time_code code join challenge on challenge.id = code.challenge_id
      where kind = ${contact.kind} and ${columnIsContact('value', contact.value)}
        and code.sent_at between now() - interval '1 day' and now() + interval '1 minute'),
    known as (
      select count(*) > 0 as "isKnownBrowser" from challenge
      where kind = ${contact.kind} and ${columnIsContact('value', contact.value)} and browser_hash = ${plainHash(browser)}
        and proven_at > now() - make_interval(days => ${knownBrowserDays}))
    select known.*, recent.* from known left join recent on true`.execute(db)
  return {
    recent: rows.filter(row => row.ageSeconds !== null),
    isKnownBrowser: rows[0]?.isKnownBrowser ?? false,
  }
}
