import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { ContactKind } from '#contract/account.ts'
import { keptDays } from '#contract/retention.ts'
import type { Configuration } from '#server/config/config.ts'
import { isContact } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import { refuse, type Refusal } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import type { PuzzleWork } from './captcha.ts'
import type { Contact } from './contact.ts'
import { networksOf } from '#server/calls/networks.ts'
import { plainHash } from '#server/crypto/keyed-hash.ts'

/** How many codes one browser may request for one contact (D20). */
const codesPerHour = 5
const codesPerDay = 10
/** How many codes a contact gets in a day at the request of one wide network, and of all unknown browsers (D90). */
export const codesPerDayFromNetwork = 10
export const codesPerDayToContact = 20
/** After how many unused codes, and wrong tries, of an hour the server requires a captcha. */
const codesBeforeCaptcha = 2
const triesBeforeCaptcha = 3
/** When all browsers together requested as many codes as one may, an unknown browser needs a harder puzzle (D90). */
const crowdedWork = 4
/** A browser in which the contact was verified has its own limits for this many days. */
export const knownBrowserDays = keptDays.browsers

/**
 * The contact that needs a code, the browser and the address that ask, and whether the code goes to the other contact
 * (F6). `onlyTo`: the code is sent only when the contact belongs to this account and is of this kind (D122).
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

/** Returns the seconds between two codes to one contact. After a code has expired, the next may always be sent. */
function secondsBetweenCodes(config: Configuration): number {
  return Math.min(60, config.otpTtlSeconds)
}

/**
 * Checks the limits of one contact. The counts are over the stored codes, so the windows slide.
 *
 * - A used code does not start the waiting time, because it proves that the owner of the contact is present.
 * - The limits bind the browser that asks. Codes that other browsers requested cost it a harder puzzle. Only the totals of
 *   a day refuse it because of others: they prevent that strangers flood a phone (D90).
 * - A browser in which the contact was verified counts only its own codes. So no attacker can lock the owner out there.
 * - A code by the other channel does not wait for the first code, which may never arrive.
 *
 * `refused` names the seconds until the next code, and is the same for known and unknown contacts.
 */
export async function limitOfContact(
  db: Kysely<Schema>,
  services: Services,
  { contact, browser, address, otherChannel }: CodeRequest,
): Promise<ContactLimit> {
  const wide = networksOf(services, address)?.wide ?? ''
  const counts = await sql<{ wait: number | null; work: 0 | PuzzleWork; known: boolean }>`
    with recent as (
      select code.sent_at, code.used_at, code.other_channel, challenge.tries,
        challenge.browser_hash = ${plainHash(browser)} as own, code.network = nullif(${wide}, '') as near
      from one_time_code code join challenge on challenge.id = code.challenge_id
      where kind = ${contact.kind} and ${isContact('value', contact.value)} and code.sent_at > now() - interval '1 day'),
    known as (
      select count(*) > 0 as browser from challenge
      where kind = ${contact.kind} and ${isContact('value', contact.value)} and browser_hash = ${plainHash(browser)}
        and proven_at > now() - make_interval(days => ${knownBrowserDays}))
    select
      ceil(extract(epoch from greatest(
        max(sent_at) filter (where counted and used_at is null and other_channel = ${otherChannel})
          + make_interval(secs => ${secondsBetweenCodes(services.config)}),
        ${nthLast('own', codesPerHour)} + interval '1 hour',
        ${nthLast('own', codesPerDay)} + interval '1 day',
        ${nthLast('counted and near', codesPerDayFromNetwork)} + interval '1 day',
        ${nthLast('counted', codesPerDayToContact)} + interval '1 day') - now()))::integer as wait,
      case
        when (select not browser from known) and (
          count(*) filter (where within_hour) >= ${codesPerHour} or count(*) >= ${codesPerDay})
          then ${sql.lit(crowdedWork)}
        when count(*) filter (where within_hour and used_at is null) >= ${codesBeforeCaptcha}
          or max(tries) filter (where within_hour and used_at is null) >= ${triesBeforeCaptcha} then 1
        else 0 end as work,
      (select browser from known) as known
    from (
      select recent.*, own or not known.browser as counted, sent_at > now() - interval '1 hour' as within_hour
      from recent, known) as limited`.execute(db)
  const { wait, work = 0, known = false } = counts.rows[0] ?? {}
  const seconds = wait ?? 0
  return {
    refused: seconds > 0 ? refuse('too-many-for-contact', { data: { seconds } }) : undefined,
    work,
    isKnownBrowser: known,
  }
}

/** The time of the last code but `limit - 1`: when it leaves the window, the next may be sent. Null with fewer codes. */
function nthLast(which: 'own' | 'counted' | 'counted and near', limit: number): RawBuilder<unknown> {
  return sql`(array_agg(sent_at order by sent_at desc) filter (where ${sql.raw(which)}))[${sql.lit(limit)}]`
}
