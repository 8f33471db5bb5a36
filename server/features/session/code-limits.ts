import { isIP } from 'node:net'
import { type Kysely, sql } from 'kysely'
import { homeDialCode } from '#contract/codes.ts'
import type { ProblemCode } from '#contract/problems.ts'
import type { Configuration } from '#server/config.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Services } from '#server/services.ts'
import type { Contact } from './contact.ts'
import { keyedHash } from './keyed-hash.ts'

/** How many codes may go to one number or address, and from which on a captcha is asked for (D20). */
export const codesPerHour = 5
export const codesPerDay = 10
export const codesBeforeCaptcha = 2

/** Seconds between two codes to the same contact; a code that has expired may always be replaced. */
export function secondsBetweenCodes(config: Configuration): number {
  return Math.min(60, config.otpTtlSeconds)
}

/** Counted over the codes themselves, so the windows slide. A code that was used proves that its owner is there. */
export async function limitOfContact(
  db: Kysely<Schema>,
  contact: Contact,
  config: Configuration,
): Promise<{ refused: ProblemCode | undefined; needsCaptcha: boolean }> {
  const counts = await sql<{ waiting: number; unused: number; hour: number; day: number }>`
    select
      count(*) filter (where used_at is null
        and sent_at > now() - make_interval(secs => ${secondsBetweenCodes(config)})) as waiting,
      count(*) filter (where used_at is null and sent_at > now() - interval '1 hour') as unused,
      count(*) filter (where sent_at > now() - interval '1 hour') as hour,
      count(*) as day
    from one_time_code join challenge on challenge.id = one_time_code.challenge_id
    where kind = ${contact.kind} and value = ${contact.value} and sent_at > now() - interval '1 day'`.execute(
    db,
  )
  const { waiting = 0, unused = 0, hour = 0, day = 0 } = counts.rows[0] ?? {}
  const tooMany = waiting > 0 || hour >= codesPerHour || day >= codesPerDay
  return { refused: tooMany ? 'too-many-for-contact' : undefined, needsCaptcha: unused >= codesBeforeCaptcha }
}

/** Whole towns share one address, so a busy network is only asked for a captcha, never refused. */
export async function isBusyNetwork(services: Services, address: string): Promise<boolean> {
  const key = networkKey(services, address)
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
  if (sending.contact.kind === 'phone' && !(await spendBudget(trx, services.config, sending.contact)))
    return false
  const key = networkKey(services, sending.address)
  if (key !== undefined) await countUp(trx, { key, windowStart: thisHour, limit: undefined })
  return true
}

const thisHour = sql<Date>`date_trunc('hour', now())`
const thisDay = sql<Date>`date_trunc('day', now())`

function spendBudget(trx: Kysely<Schema>, config: Configuration, { dialCode }: Contact): Promise<boolean> {
  const limit = dialCode === homeDialCode ? config.smsBudgetHome : config.smsBudgetAbroad
  return countUp(trx, { key: `sms ${dialCode}`, windowStart: thisDay, limit })
}

async function countUp(
  trx: Kysely<Schema>,
  use: { key: string; windowStart: typeof thisHour; limit: number | undefined },
): Promise<boolean> {
  if (use.limit === 0) return false
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
  return counted !== undefined
}

/**
 * Addresses are kept as keyed hashes; an IPv6 customer has a whole /64. In the demo this machine itself is no
 * network: a class or a test run behind it would only meet the captcha.
 */
function networkKey({ config, secrets }: Services, address: string): string | undefined {
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
