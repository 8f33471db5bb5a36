import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Portal, startPortal, until } from '#support/servers/portal.ts'
import {
  orangeReport,
  type SmsSimulator,
  startInfobipSimulator,
  startOrangeSimulator,
} from '#support/providers/sms-simulators.ts'
import { type SmtpListener, startSmtpListener } from '#support/providers/smtp-listener.ts'
import { startFakeHttpService } from '#support/providers/fake-services.ts'
import { isFullRun } from '#support/test-tier.ts'

const reportKey = 'report-key-0123456789'
const account = { clientId: 'portal', clientSecret: 'orange-secret', sender: '2376900000' }

let smtp: SmtpListener
let orange: SmsSimulator
let infobip: SmsSimulator
let portal: Portal
let metricsPort: number

beforeAll(async () => {
  smtp = await startSmtpListener({ login: 'portal', password: 'mail-secret' })
  orange = await startOrangeSimulator(account)
  infobip = await startInfobipSimulator('infobip-key')
  const free = await startFakeHttpService(() => ({}))
  await free.close()
  metricsPort = free.port
  portal = await startPortal({
    SMTP_URL: smtp.url,
    MAIL_FROM: 'Passeport <no-reply@example.cm>',
    SMS_PROVIDER: 'orange',
    SMS_FALLBACK: 'infobip',
    SMS_REPORT_KEY: reportKey,
    ORANGE_URL: orange.url,
    ORANGE_CLIENT_ID: account.clientId,
    ORANGE_CLIENT_SECRET: account.clientSecret,
    ORANGE_SENDER: account.sender,
    INFOBIP_URL: infobip.url,
    INFOBIP_KEY: 'infobip-key',
    INFOBIP_SENDER: 'PASSEPORT',
    METRICS_PORT: String(metricsPort),
  })
})
afterAll(async () => {
  await portal?.close()
  await Promise.all([smtp?.close(), orange?.close(), infobip?.close()])
})

/** Sends a request as a page does. Returns the status and the cookies. */
async function post(path: string, body: object, cookie = '') {
  const response = await fetch(`${portal.origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: portal.origin, cookie },
    body: JSON.stringify(body),
  })
  const cookies = response.headers.getSetCookie().map(each => each.split(';')[0])
  return { status: response.status, cookie: cookies.join('; ') }
}

async function signIn(
  contact: { msisdn: string; email: string },
  readMessage: () => string | undefined,
): Promise<number> {
  const { status, cookie } = await post('/api/v1/auth', contact)
  expect(status).toBe(200)
  const otp = await until('the code', async () => /\b(\d{6}|\d{8})\b/.exec(readMessage() ?? '')?.[1])
  return (await post('/api/v1/login', { ...contact, otp }, cookie)).status
}

it('the started server sends codes by SMTP and by SMS gateways, and the codes sign in', async () => {
  expect(await signIn({ msisdn: '237670000001', email: '' }, () => orange.accepted[0]?.text)).toBe(200)
  expect(orange.accepted[0]?.to).toBe('237670000001')
  const email = 'awa@example.cm'
  const bodyOfMail = () => smtp.mails[0]?.source.replaceAll('=\n', '').split('\n\n').slice(1).join('\n')
  expect(await signIn({ msisdn: '', email }, bodyOfMail)).toBe(200)
  expect(smtp.mails[0]).toMatchObject({ to: [email], login: 'portal:mail-secret' })
  orange.behaviour = 'broken'
  expect(await signIn({ msisdn: '237670000002', email: '' }, () => infobip.accepted[0]?.text)).toBe(200)
  expect(infobip.accepted[0]?.to).toBe('237670000002')
  // The server wrote no message to the folder or the terminal of the demo.
  expect(portal.messages()).toEqual([])
  expect(portal.log()).not.toMatch(/237670000001|awa@example/)
})

it('the started server accepts delivery reports, and its metrics show them and the delivery time', async () => {
  const reference = orange.accepted[0]?.reference ?? ''
  const report = await post(`/hooks/sms/orange/${reportKey}`, orangeReport(reference, 'DeliveredToTerminal'))
  expect(report.status).toBe(204)
  const metrics = await readMetrics()
  expect(metrics).toContain('messages_total{channel="sms",outcome="delivered"} 1')
  expect(metrics).toContain('messages_total{channel="email",outcome="sent"} 1')
  expect(metrics).toContain('message_delivered_seconds_count{channel="sms",priority="code"} 1')
  expect(metrics).toMatch(/gateway_requests_total\{gateway="orange",outcome="failed"\} \d/)
})

it.runIf(isFullRun)(
  'the started server shows the SMS budget after the next reading of the database',
  async () => {
    await expect.poll(readMetrics).toContain('sms_budget_spent_ratio{dial_code="237"} 0.0001')
  },
)

async function readMetrics(): Promise<string> {
  return (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
}
