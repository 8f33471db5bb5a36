import { isIP } from 'node:net'
import { type Kysely, sql } from 'kysely'
import { homeDialCode } from '#contract/codes.ts'
import type { Configuration } from '#server/config/config.ts'
import type { Schema } from '#server/database/schema.ts'
import { refuse, type Refusal } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import type { Contact } from './contact.ts'
import { keyedHash, plainHash } from '#server/crypto/keyed-hash.ts'

/** How many codes may go to one number or address, and from which on a captcha is asked for (D20). */
export const codesPerHour = 5
export const codesPerDay = 10
export const codesBeforeCaptcha = 2
/** So long a browser in which the contact was proven by a code has limits of its own. */
export const knownBrowserDays = 180

/** Who asks for a code, by which browser, and whether by the applicant's other contact (F6). */
export type CodeRequest = { contact: Contact; browser: string; otherChannel: boolean }

/** How the day's SMS to a country code are counted in `usage_count`. */
export const budgetKey = 'sms '
const budgetWarningShare = 0.8

/** SMS a day to a country code. */
export function budgetOf(config: Configuration, dialCode: string): number {
  return dialCode === homeDialCode ? config.smsBudgetHome : config.smsBudgetAbroad
}

/** Seconds between two codes to the same contact; a code that has expired may always be replaced. */
export function secondsBetweenCodes(config: Configuration): number {
  return Math.min(60, config.otpTtlSeconds)
}

/**
 * Counted over the codes themselves, so the windows slide. A code that was used proves that its owner is there. A
 * browser that the contact was proven in counts its own codes alone: nobody can use up a number's codes for a day and
 * so keep its owner out. The captcha counts all: it is what such a browser pays. A code by the other channel need
 * not wait for the first, which may never arrive. A refusal says for how many seconds it holds, whoever has the contact.
 */
export async function limitOfContact(
  db: Kysely<Schema>,
  { contact, browser, otherChannel }: CodeRequest,
  config: Configuration,
): Promise<{ refused: Refusal | undefined; needsCaptcha: boolean }> {
  const counts = await sql<{ wait: number | null; unused: number }>`
    with asked as (
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
    from (select asked.*, own or not known.browser as counted from asked, known) as limited`.execute(db)
  const { wait, unused = 0 } = counts.rows[0] ?? {}
  const seconds = wait ?? 0
  return {
    refused: seconds > 0 ? refuse('too-many-for-contact', { data: { seconds } }) : undefined,
    needsCaptcha: unused >= codesBeforeCaptcha,
  }
}

/** Whole towns share one address, so a busy network is only asked for a captcha, never refused. */
export async function isBusyNetwork(services: Services, address: string): Promise<boolean> {
  const key = networkKeyOf(services, address)
  if (key === undefined) return false
  const row = await services.db
    .selectFrom('usage_count')
    .select('count')
    .where('key', '=', key)
    .where('window_start', '=', thisHour)
    .executeTakeFirst()
  return (row?.count ?? 0) >= services.config.networkCodesPerHour
}

/** Counts a code that goes out; false when the day's budget for its country code is spent. */
export async function countCode(
  trx: Kysely<Schema>,
  services: Services,
  sending: { contact: Contact; address: string },
): Promise<boolean> {
  if (sending.contact.kind === 'phone' && !(await useBudget(trx, services, sending.contact))) return false
  const key = networkKeyOf(services, sending.address)
  if (key !== undefined) await countUp(trx, { key, windowStart: thisHour, limit: undefined })
  return true
}

const thisHour = sql<Date>`date_trunc('hour', now())`
const thisDay = sql<Date>`date_trunc('day', now())`

/** The operator hears of it once when the day's budget comes near its end, and each time it would be passed. */
async function useBudget(
  trx: Kysely<Schema>,
  { config, logger }: Services,
  { dialCode }: Contact,
): Promise<boolean> {
  const budget = budgetOf(config, dialCode)
  const spent = await countUp(trx, { key: `${budgetKey}${dialCode}`, windowStart: thisDay, limit: budget })
  // An SMS to nobody is counted for the sake of the same work.
  if (dialCode === '') return spent !== undefined
  if (spent === undefined) logger.error({ dialCode }, 'the SMS budget of the day is spent')
  if (spent === Math.ceil(budget * budgetWarningShare))
    logger.warn({ dialCode, spent, budget }, 'the SMS budget of the day is nearly spent')
  return spent !== undefined
}

/** Counts one more, and says how many that makes; undefined when there may be no more. */
async function countUp(
  trx: Kysely<Schema>,
  use: { key: string; windowStart: typeof thisHour; limit: number | undefined },
): Promise<number | undefined> {
  if (use.limit === 0) return undefined
  const counted = await trx
    .insertInto('usage_count')
    .values({ key: use.key, window_start: use.windowStart, count: 1 })
    .onConflict(conflict => {
      const update = conflict
        .columns(['key', 'window_start'])
        .doUpdateSet({ count: sql<number>`usage_count.count + 1` })
      return use.limit === undefined ? update : update.where('usage_count.count', '<', use.limit)
    })
    .returning('count')
    .executeTakeFirst()
  return counted?.count
}

/**
 * Addresses are kept as keyed hashes; an IPv6 customer has a whole /64. In the demo this machine itself is no
 * network: a class or a test run behind it would only meet the captcha.
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
