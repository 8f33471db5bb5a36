import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { apiRoot } from '#contract/codes.ts'
import { mtnAccount } from '#server/integrations/simulators/mtn-simulator.ts'
import { orangeAccount } from '#server/integrations/simulators/orange-simulator.ts'
import type { WebhookCall } from '#server/integrations/simulators/simulator.ts'
import { startSimulators, type Simulators } from '#server/integrations/simulators/start-simulators.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { createSession } from '#support/servers/api-client.ts'
import { freePort } from '#support/servers/free-port.ts'
import { servicesOn } from '#support/servers/services-on.ts'
import { isFullRun } from '#support/test-tier.ts'
import { openMigratedDatabase, type TestDatabase } from '#support/servers/test-databases.ts'
import { bundleChild, type ChildProcessHandle } from '../database/child.ts'

let database: TestDatabase
let simulators: Simulators
let env: Record<string, string>
let child: ChildProcessHandle | undefined
let server: Awaited<ReturnType<typeof bundleChild>>
/** Called when a provider has received, done or answered a request. The test kills the server in this function. */
let watch: (what: string) => undefined | Promise<void | 'lost'> = () => undefined

beforeAll(async () => {
  server = await bundleChild('../payments/child-server.ts')
  database = await openMigratedDatabase('postgresql')
  const port = await freePort()
  const portal = `http://127.0.0.1:${port}`
  simulators = await startSimulators({
    portal,
    deliver: () => undefined,
    watch: (name, path, moment) => watch(`${name} ${path.split('/').at(-1) ?? ''} ${moment}`),
  })
  env = {
    PORT: String(port),
    PUBLIC_ORIGIN: portal,
    DATABASE_URL: database.databaseUrl,
    CAPTCHA: 'off',
    TOKEN_KEY: '11'.repeat(32),
    MTN_MOMO_URL: `${simulators.origin}/mtn`,
    MTN_MOMO_KEY: mtnAccount.subscriptionKey,
    MTN_MOMO_USER: mtnAccount.user,
    MTN_MOMO_API_KEY: mtnAccount.apiKey,
    ORANGE_MONEY_URL: `${simulators.origin}/orange`,
    ORANGE_MONEY_KEY: orangeAccount.key,
    ORANGE_MONEY_SECRET: orangeAccount.secret,
    ORANGE_MONEY_AUTH_TOKEN: orangeAccount.authToken,
    ORANGE_MONEY_MERCHANT: orangeAccount.merchantPhone,
    ORANGE_MONEY_PIN: orangeAccount.pin,
  }
})
afterAll(async () => {
  await child?.kill()
  await simulators?.close()
  await database?.close()
  server?.remove()
})

/**
 * The moments of a kill. `at` names a request to a provider, and whether the provider has received, done or answered it.
 * `sent`: whether the payer has the payment request already.
 */
const moments = [
  {
    where: 'before the first request to the provider',
    at: 'orange init received',
    phone: '237690000001',
    sent: false,
  },
  {
    where: 'before the payment request to the payer',
    at: 'orange pay received',
    phone: '237690000002',
    sent: false,
  },
  {
    where: 'after the payment request, before the provider’s response',
    at: 'mtn requesttopay done',
    phone: '237670000003',
    sent: true,
  },
  {
    where: 'after the provider’s response, before the server’s own',
    at: 'mtn requesttopay answered',
    phone: '237670000004',
    sent: true,
  },
]

describe('a server that is killed during a payment', () => {
  it.each(isFullRun ? moments : moments.slice(1, 3))(
    'records one payment and asks the payer once when it is killed $where (D42, F1)',
    async ({ at, phone, sent }) => {
      watch = () => undefined
      await start()
      const applicant = await newApplicant(phone)
      watch = async what => {
        if (what !== at) return undefined
        await child?.kill()
        // `lost`: the provider does not handle the request, as if the killed server had not sent it.
        return sent ? undefined : 'lost'
      }
      expect(await applicant.pay()).toBe('no answer')
      watch = () => undefined
      await start()
      const [first] = await applicant.orders()
      expect(first?.status).toBe('IN_PROGRESS')
      if (sent) await sendWebhooks(decide(first?.order_id, 'success'))
      // After a minute the key that the killed server has claimed can be used again.
      await shiftTimesBack(61)
      if (sent) {
        // The reconciler may send a status query at this time too.
        await expect.poll(() => applicant.poll(first?.id ?? '')).toBe('SUCCESS')
        expect(await applicant.pay()).toBe('SUCCESS')
      } else {
        // The reconciler may send a status query at this time; the next read shows its result.
        await expect.poll(() => applicant.poll(first?.id ?? '')).toBe('ERROR')
        expect(await applicant.pay()).toBe('IN_PROGRESS')
        const [again] = await applicant.orders()
        await sendWebhooks(decide(again?.order_id, 'success'))
      }
      const orders = await applicant.orders()
      expect(orders.filter(({ status }) => status === 'SUCCESS')).toHaveLength(1)
      expect(orders.filter(({ status }) => status === 'IN_PROGRESS')).toHaveLength(0)
      expect(countPaymentRequests(phone)).toBe(1)
      expect(await applicant.state()).toBe('PAYMENT_DONE')
      await child?.kill()
    },
  )
})

async function start(): Promise<void> {
  await child?.kill()
  child = server.start(JSON.stringify(env))
  expect(await child.nextLine()).toBe('ready')
}

function decide(orderId: string | undefined, status: 'success'): WebhookCall[] {
  const found = Object.values(simulators.simulators).find(({ payments }) => payments.has(orderId ?? ''))
  if (!found) throw new Error(`No simulator has ${String(orderId)}`)
  return found.decide(orderId ?? '', status)
}

async function sendWebhooks(webhooks: WebhookCall[]): Promise<void> {
  for (const { url, method, headers, body } of webhooks)
    expect((await fetch(url, { method, headers, body })).status).toBe(200)
}

function countPaymentRequests(phone: string): number {
  const { mtn, orange } = simulators.simulators
  return [...mtn.payments.values(), ...orange.payments.values()].filter(each => each.phone === phone).length
}

async function newApplicant(phone: string) {
  const { db } = database
  const { caller, token } = await createSession(await servicesOn(db, { env }), { phone })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const post = (path: string, more: { body?: object; key?: string } = {}) =>
    fetch(`${env['PUBLIC_ORIGIN']}${apiRoot}${path}`, {
      method: 'POST',
      headers: { ...headers, ...(more.key ? { 'idempotency-key': more.key } : {}) },
      body: JSON.stringify(more.body ?? {}),
    })
  await post('/applications')
  const { id } = await db
    .selectFrom('application')
    .select('id')
    .where('applicant_id', '=', caller.applicantId)
    .executeTakeFirstOrThrow()
  await post(`/applications/${id}/confirmData`, { body: toWire(firstPassport) })
  const key = crypto.randomUUID()
  return {
    async pay(): Promise<string> {
      try {
        const answer = await post(`/payments/mobile-payment-init?applicationId=${id}&phone=${phone}`, { key })
        const text = await answer.text()
        return /"paymentStatus":"(\w+)"/.exec(text)?.[1] ?? text
      } catch {
        return 'no answer'
      }
    },
    /** Reads the payment as the result page does. */
    async poll(paymentId: string) {
      const address = `${env['PUBLIC_ORIGIN']}${apiRoot}/payments/${paymentId}?applicationId=${id}`
      const text = await (await fetch(address, { headers })).text()
      return /"paymentStatus":"(\w+)"/.exec(text)?.[1]
    },
    orders: () =>
      db
        .selectFrom('payment')
        .selectAll()
        .where('application_id', '=', id)
        .orderBy('created_at', 'desc')
        .execute(),
    async state() {
      const found = await db.selectFrom('application').select('state').where('id', '=', id).executeTakeFirst()
      return found?.state
    },
  }
}

async function shiftTimesBack(seconds: number): Promise<void> {
  const back = sql`make_interval(secs => ${seconds})`
  await sql`update payment set created_at = created_at - ${back}, sent_at = sent_at - ${back},
    ask_at = ask_at - ${back}, asked_at = asked_at - ${back}`.execute(database.db)
  await sql`update idempotency set created_at = created_at - ${back}`.execute(database.db)
}
