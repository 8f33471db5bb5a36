import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventMetrics } from '#server/calls/event-counts.ts'
import { createMetrics } from '#server/monitoring/metrics.ts'
import { watchCodeUse } from '#server/features/session/watch-code-use.ts'
import { openBrowser } from '#support/servers/api-client.ts'
import { configOf } from '#support/servers/services-on.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
beforeAll(async () => {
  // The counters belong to the process, in which other tests may have run before.
  for (const metric of eventMetrics) metric.reset()
  server = await startTestServer({ env: { CAPTCHA: 'altcha', SMS_BUDGET_ABROAD: '50' } })
})
afterAll(() => server.close())

async function ask(msisdn: string): Promise<number | null> {
  const answer = await openBrowser(server).call('auth', { body: { msisdn, email: '' } })
  return answer.kind === 'ok' ? answer.body.data.statusCode : answer.failure.statusCode
}

async function signInAs(msisdn: string): Promise<void> {
  const browser = openBrowser(server)
  await browser.call('auth', { body: { msisdn, email: '' } })
  const otp = await server.outbox.codeFor(msisdn)
  expect((await browser.call('login', { body: { msisdn, email: '', otp } })).kind).toBe('ok')
}

const french = (index: number) => `336123456${String(index).padStart(2, '0')}`
const german = (index: number) => `49151123456${String(index).padStart(2, '0')}`
const belgian = (index: number) => `324701234${String(index).padStart(2, '0')}`

/** Requests codes to one country code and enters the first `used` of them. */
async function askFor(number: (index: number) => string, { sent, used }: { sent: number; used: number }) {
  for (let index = 0; index < sent; index += 1)
    if (index < used) await signInAs(number(index))
    else expect(await ask(number(index))).toBe(0)
}

async function runWatch(): Promise<object[]> {
  await watchCodeUse(server.services)
  return server.warnings.splice(0)
}

it('warns the operator and requires a captcha for an hour when few codes to a country are used (SMS pumping)', async () => {
  await askFor(french, { sent: 20, used: 5 })
  await askFor(german, { sent: 20, used: 6 })
  await askFor(belgian, { sent: 19, used: 0 })
  expect(await runWatch()).toEqual([])
  await server.advanceSeconds(14 * 60)
  expect(await runWatch()).toEqual([])
  await server.advanceSeconds(2 * 60)
  // Below 30 %, and enough codes for a verdict.
  expect(await runWatch()).toEqual([
    {
      level: 'warn',
      message: expect.stringMatching(
        /^Less than 30 % of the recent SMS codes to this country code were used\./,
      ),
      fields: { dialCode: '33', sent: 20, used: 5 },
    },
  ])
  expect(await ask(french(50))).toBe(3)
  expect(await ask(german(50))).toBe(0)
  expect(await ask(belgian(50))).toBe(0)
})

it('reports codes by country and the budgets in the metrics, without personal data', async () => {
  const { registry, readDatabase } = createMetrics(server.services, server.poolLoad)
  await readDatabase()
  const text = await registry.metrics()
  // The last two codes of the test above are still in the outbox.
  for (const line of [
    'codes_sent_total{channel="sms",dial_code="33"} 20',
    'codes_used_total{channel="sms",dial_code="33"} 5',
    'codes_used_total{channel="sms",dial_code="49"} 6',
    'messages_total{channel="sms",outcome="sent"} 59',
    'sms_budget_spent_ratio{dial_code="33"} 0.4',
    'email_budget_spent_ratio 0',
  ])
    expect(text).toContain(line)
  expect(text).not.toMatch(/336123456|49151123456|324701234/)
})

it('reports numbers also for budgets of 0, without and with a code that was sent before the change (D105)', async () => {
  const env = { EMAIL_BUDGET: '0', SMS_BUDGET_ABROAD: '0' }
  const { registry, readDatabase } = createMetrics(
    { ...server.services, config: configOf(env) },
    server.poolLoad,
  )
  await readDatabase()
  const text = await registry.metrics()
  expect(text).toContain('email_budget_spent_ratio 0\n')
  expect(text).toContain('sms_budget_spent_ratio{dial_code="33"} 20\n')
})

it('requires no captcha for a watched country after an hour', async () => {
  await server.advanceSeconds(3_601)
  expect(await runWatch()).toEqual([])
  expect(await ask(french(51))).toBe(0)
})

it('does not count codes that were not sent because 80 % of the budget was spent (D91)', async () => {
  const spent = await startTestServer({ env: { SMS_BUDGET_ABROAD: '10' } })
  try {
    for (let index = 0; index < 40; index += 1) {
      const browser = openBrowser(spent)
      const contact = { msisdn: french(index), email: '' }
      expect((await browser.call('auth', { body: contact })).kind).toBe('ok')
      if (index >= 6) continue
      const otp = await spent.outbox.codeFor(contact.msisdn)
      expect((await browser.call('login', { body: { ...contact, otp } })).kind).toBe('ok')
    }
    // At 80 % of the budget, contacts without an account get no code.
    const sent = (await spent.outbox.messages()).filter(({ channel }) => channel === 'sms')
    expect(sent).toHaveLength(8)
    await spent.advanceSeconds(16 * 60)
    spent.warnings.splice(0)
    await watchCodeUse(spent.services)
    expect(spent.warnings).toEqual([])
  } finally {
    await spent.close()
  }
})
