import { isIP } from 'node:net'
import { type Kysely, sql } from 'kysely'
import { homeDialCode } from '#contract/codes.ts'
import type { Configuration } from '#server/config/config.ts'
import type { Schema } from '#server/database/schema.ts'
import { refuse, type Refusal } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import type { Contact } from './contact.ts'
import { keyedHash, plainHash } from '#server/crypto/keyed-hash.ts'
import { type Counter, countUp, readCounts } from './usage-counts.ts'

/** How many codes one contact may get, and after how many unused codes the server requires a captcha (D20). */
const codesPerHour = 5
export const codesPerDay = 10
const codesBeforeCaptcha = 2
/** A browser in which the contact was verified has its own limits for this many days. */
export const knownBrowserDays = 180

/** The contact that needs a code, the browser that asks, and whether the code goes to the other contact (F6). */
export type CodeRequest = { contact: Contact; browser: string; otherChannel: boolean }

/** The prefix of the `usage_count` keys that count a day's SMS to one country code. */
export const budgetKey = 'sms '
const budgetWarningShare = 0.8

/** Returns the number of SMS per day to a country code. */
export function budgetOf(config: Configuration, dialCode: string): number {
  return dialCode === homeDialCode ? config.smsBudgetHome : config.smsBudgetAbroad
}

/** Returns the seconds between two codes to one contact. After a code has expired, the next may always be sent. */
function secondsBetweenCodes(config: Configuration): number {
  return Math.min(60, config.otpTtlSeconds)
}

/**
 * Checks the limits of one contact. The counts are over the stored codes, so the windows slide.
 *
 * - A used code does not start the waiting time, because it proves that the owner of the contact is present.
 * - A browser in which the contact was verified counts only its own codes. So an attacker cannot use up the codes of a
 *   number and lock its owner out. Such a browser may have to solve a captcha, because the captcha counts all codes.
 * - A code by the other channel does not wait for the first code, which may never arrive.
 *
 * `refused` names the seconds until the next code, and is the same for known and unknown contacts.
 */
export async function limitOfContact(
  db: Kysely<Schema>,
  { contact, browser, otherChannel }: CodeRequest,
  config: Configuration,
): Promise<{ refused: Refusal | undefined; needsCaptcha: boolean }> {
  const counts = await sql<{ wait: number | null; unused: number }>`
    with recent as (
      select code.sent_at, code.used_at, code.other_channel, challenge.browser_hash = ${plainHash(browser)} as own
      from one_time_code code join challenge on challenge.id = code.challenge_id
      where kind = ${contact.kind} and value = ${contact.value} and code.sent_at > now() - interval '1 day'),
    known as (
      select count(*) > 0 as browser from challenge
      where kind = ${contact.kind} and value = ${contact.value} and browser_hash = ${plainHash(browser)}
        and proven_at > now() - make_interval(days => ${knownBrowserDays}))
    select
      ceil(extract(epoch from greatest(
        max(sent_at) filter (where counted and used_at is null and other_channel = ${otherChannel})
          + make_interval(secs => ${secondsBetweenCodes(config)}),
        (array_agg(sent_at order by sent_at desc) filter (where counted))[${sql.lit(codesPerHour)}]
          + interval '1 hour',
        (array_agg(sent_at order by sent_at desc) filter (where counted))[${sql.lit(codesPerDay)}]
          + interval '1 day') - now()))::integer as wait,
      count(*) filter (where used_at is null and sent_at > now() - interval '1 hour') as unused
    from (select recent.*, own or not known.browser as counted from recent, known) as limited`.execute(db)
  const { wait, unused = 0 } = counts.rows[0] ?? {}
  const seconds = wait ?? 0
  return {
    refused: seconds > 0 ? refuse('too-many-for-contact', { data: { seconds } }) : undefined,
    needsCaptcha: unused >= codesBeforeCaptcha,
  }
}

/** Whether a network asked for many codes. It gets a captcha, never a refusal, because a whole town may share one address. */
export async function isBusyNetwork(services: Services, address: string): Promise<boolean> {
  const counts = await readCounts(services.db, networkCounters(services, address))
  return [...counts.values()].some(count => count >= services.config.networkCodesPerHour)
}

/**
 * Counts a code before it is sent. Returns the counters that count it; undefined when the daily SMS budget of its country
 * code is spent. A code that is then not sent stays counted when the process ends before it takes the count back.
 */
export async function countCode(
  services: Services,
  { contact, address }: { contact: Contact; address: string },
): Promise<Counter[] | undefined> {
  const counters = networkCounters(services, address)
  if (contact.kind === 'phone') {
    const budget = { key: `${budgetKey}${contact.dialCode}`, window: 'day' } as const
    if (!(await useBudget(services, contact, budget))) return undefined
    await countUp(services.db, counters)
    return [budget, ...counters]
  }
  await countUp(services.db, counters)
  return counters
}

/** Counts one SMS. Logs once when 80 % of the budget is spent, and each time the budget would be exceeded. */
async function useBudget(
  { db, config, logger }: Services,
  { dialCode }: Contact,
  counter: Counter,
): Promise<boolean> {
  const budget = budgetOf(config, dialCode)
  const spent = (await countUp(db, [counter], budget)).get(counter.key)
  // No SMS is sent, but it is counted, so that both cases take the same time.
  if (dialCode === '') return spent !== undefined
  if (spent === undefined)
    logger.error(
      { dialCode },
      'The daily SMS budget of this country code is spent. Applicants there get no code by SMS until tomorrow. Check for SMS pumping, then raise SMS_BUDGET_HOME or SMS_BUDGET_ABROAD.',
    )
  if (spent === Math.ceil(budget * budgetWarningShare))
    logger.warn(
      { dialCode, spent, budget },
      'The daily SMS budget of this country code is 80 % spent. Check for SMS pumping, or raise SMS_BUDGET_HOME or SMS_BUDGET_ABROAD.',
    )
  return spent !== undefined
}

function networkCounters(services: Services, address: string): Counter[] {
  const key = networkKeyOf(services, address)
  return key === undefined ? [] : [{ key, window: 'hour' }]
}

/**
 * Returns the counter key of a network: a keyed hash of the address, for IPv6 of its /64 prefix, which one customer has.
 * Undefined for the local machine in the demo, because all its visitors would soon need a captcha.
 */
function networkKeyOf({ config, secrets }: Services, address: string): string | undefined {
  const plain = address.replace(/^::ffff:/, '')
  if (config.profile === 'demo' && (plain === '::1' || plain.startsWith('127.'))) return undefined
  const network = isIP(plain) === 6 ? firstHalf(plain) : plain
  return `network ${keyedHash(secrets.codeKey, 'network', network)}`
}

function firstHalf(address: string): string {
  const [head = '', tail = ''] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return [...left, ...(address.includes('::') ? zeros : []), ...right]
    .slice(0, 4)
    .map(group => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')
}
