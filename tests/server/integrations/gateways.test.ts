import { afterEach, describe, expect, it } from 'vitest'
import { deliverDue } from '#server/features/messages/deliver-due.ts'
import { chooseMessengers } from '#server/integrations/choose-messengers.ts'
import type { OutgoingMessage } from '#server/integrations/messenger.ts'
import { bodyOf, openBrowser } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import {
  infobipReport,
  orangeReport,
  startInfobipSimulator,
  startOrangeSimulator,
} from '#support/providers/sms-simulators.ts'
import { startSmtpListener } from '#support/providers/smtp-listener.ts'

const opened: { close: () => Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map(each => each.close()))
})

const account = { clientId: 'portal', clientSecret: 'orange-secret', sender: '2376900000' }
const reportKey = 'report-key-0123456789'
const phone = '237670000001'

const sms: OutgoingMessage = {
  key: 'otp-1',
  channel: 'sms',
  kind: 'otp',
  to: phone,
  subject: 'Code',
  text: 'Votre code : 123456\n\n@localhost #123456',
}

async function openGateways(env: Record<string, string> = {}) {
  const orange = await startOrangeSimulator(account)
  const infobip = await startInfobipSimulator('infobip-key')
  const server = await startTestServer({
    env: {
      SMS_PROVIDER: 'orange',
      SMS_FALLBACK: 'infobip',
      SMS_REPORT_KEY: reportKey,
      ORANGE_URL: orange.url,
      ORANGE_CLIENT_ID: account.clientId,
      ORANGE_CLIENT_SECRET: account.clientSecret,
      ORANGE_SENDER: account.sender,
      ORANGE_SENDER_NAME: 'PASSEPORT',
      INFOBIP_URL: infobip.url,
      INFOBIP_KEY: 'infobip-key',
      INFOBIP_SENDER: 'PASSEPORT',
      ...env,
    },
  })
  opened.push(orange, infobip, server)
  const messengers = chooseMessengers(server.services.config, server.clock, () => undefined)
  const deliver = async () => {
    while ((await deliverDue(server.services, messengers)) > 0);
  }
  return { orange, infobip, server, messengers, deliver }
}

async function signInBySms(
  server: TestServer,
  textOf: () => string | undefined,
  deliver: () => Promise<void>,
) {
  const browser = openBrowser(server)
  const contactBody = { msisdn: phone, email: '' }
  bodyOf(await browser.call('auth', { body: contactBody }))
  await deliver()
  const otp = /#(\d{6})$/.exec(textOf() ?? '')?.[1] ?? ''
  return browser.call('login', { body: { ...contactBody, otp } })
}

describe('Orange', () => {
  it('sends the code that signs the applicant in', async () => {
    const { orange, infobip, server, deliver } = await openGateways()
    expect((await signInBySms(server, () => orange.accepted[0]?.text, deliver)).kind).toBe('ok')
    expect(orange.accepted).toMatchObject([{ to: phone, sender: 'PASSEPORT' }])
    expect(infobip.requests).toEqual([])
  })

  it('is asked for a new token only a minute before the last one expires, or when it is revoked', async () => {
    const { orange, server, messengers } = await openGateways()
    await messengers.sms.send(sms)
    await messengers.sms.send(sms)
    server.clock.advanceSeconds(3_539)
    await messengers.sms.send(sms)
    expect(orange.tokens).toHaveLength(1)
    server.clock.advanceSeconds(1)
    await messengers.sms.send(sms)
    expect(orange.tokens).toHaveLength(2)
    orange.revoke()
    expect(await messengers.sms.send(sms)).toMatchObject({ kind: 'sent', provider: 'orange' })
    expect(orange.tokens).toHaveLength(3)
    expect(orange.accepted).toHaveLength(5)
  })

  it.each(['broken', 'refuses'] as const)(
    "is replaced by Infobip at once when it behaves as '%s'",
    async behaviour => {
      const { orange, infobip, server, deliver } = await openGateways()
      orange.behaviour = behaviour
      expect((await signInBySms(server, () => infobip.accepted[0]?.text, deliver)).kind).toBe('ok')
      expect(infobip.accepted).toMatchObject([{ to: phone, sender: 'PASSEPORT' }])
      expect(orange.accepted).toEqual([])
    },
  )

  it('comes after Infobip for a minute after a failure, and is first again then', async () => {
    const { orange, server, messengers } = await openGateways()
    orange.behaviour = 'broken'
    await messengers.sms.send(sms)
    const requestCount = orange.requests.length
    await messengers.sms.send(sms)
    expect(orange.requests).toHaveLength(requestCount)
    orange.behaviour = 'normal'
    server.clock.advanceSeconds(59)
    expect(await messengers.sms.send(sms)).toMatchObject({ kind: 'sent', provider: 'infobip' })
    server.clock.advanceSeconds(1)
    expect(await messengers.sms.send(sms)).toMatchObject({ kind: 'sent', provider: 'orange' })
  })

  it('is tried, and is first again, when Infobip fails in the minute after a failure of Orange', async () => {
    const { orange, infobip, messengers } = await openGateways()
    orange.behaviour = 'broken'
    await messengers.sms.send(sms)
    orange.behaviour = 'normal'
    infobip.behaviour = 'broken'
    expect(await messengers.sms.send(sms)).toMatchObject({ kind: 'sent', provider: 'orange' })
    const requestCount = infobip.requests.length
    expect(await messengers.sms.send(sms)).toMatchObject({ kind: 'sent', provider: 'orange' })
    expect(infobip.requests).toHaveLength(requestCount)
  })

  it('sends nothing with wrong credentials, and the reason contains none of them', async () => {
    const { orange, messengers } = await openGateways({
      ORANGE_CLIENT_SECRET: 'wrong-secret',
      SMS_FALLBACK: 'none',
    })
    const result = await messengers.sms.send(sms)
    expect(orange.accepted).toEqual([])
    expect(result).toEqual({ kind: 'failed', reason: 'orange gives no token' })
  })
})

describe('Infobip', () => {
  it('sends the code that signs the applicant in, with the key of the message', async () => {
    const { infobip, server, deliver } = await openGateways({ SMS_PROVIDER: 'infobip', SMS_FALLBACK: 'none' })
    expect((await signInBySms(server, () => infobip.accepted[0]?.text, deliver)).kind).toBe('ok')
    expect(infobip.accepted[0]?.reference).toMatch(/^otp-/)
    expect(infobip.reportsTo).toEqual([`http://localhost:8080/hooks/sms/infobip/${reportKey}`])
  })

  it('fails to send a message that its response refuses with status 200', async () => {
    const { infobip, messengers } = await openGateways({ SMS_PROVIDER: 'infobip', SMS_FALLBACK: 'none' })
    infobip.behaviour = 'refuses'
    expect(await messengers.sms.send(sms)).toEqual({
      kind: 'failed',
      reason: 'infobip REJECTED_NETWORK',
      isMessageRefused: true,
    })
  })

  it.each([
    'REJECTED_NOT_ENOUGH_CREDITS',
    'REJECTED_PREPAID_PACKAGE_EXPIRED',
    'REJECTED_ROUTE_NOT_AVAILABLE',
    'REJECTED_DESTINATION_NOT_REGISTERED',
    'REJECTED_SOURCE',
    'REJECTED_SENDER',
    'REJECTED_SYSTEM_ERROR',
  ])('is paused when it refuses every message, whatever its number is, with %s (D94)', async refusal => {
    const { infobip, messengers } = await openGateways({ SMS_PROVIDER: 'infobip', SMS_FALLBACK: 'none' })
    infobip.behaviour = 'refuses'
    infobip.refusal = refusal
    for (let sent = 0; sent < 3; sent += 1)
      expect(await messengers.sms.send(sms)).toEqual({ kind: 'failed', reason: `infobip ${refusal}` })
    expect(messengers.sms.isPaused?.()).toBe(true)
  })
})

describe('the outbox while both gateways are down', () => {
  it('keeps the code, and sends it when one gateway works again', async () => {
    const { orange, infobip, server, deliver } = await openGateways({ OTP_TTL_SECONDS: '300' })
    orange.behaviour = 'broken'
    infobip.behaviour = 'broken'
    bodyOf(await openBrowser(server).call('auth', { body: { msisdn: phone, email: '' } }))
    await deliver()
    expect(server.warnings).toMatchObject([
      { level: 'warn', fields: { reason: 'orange status 503; infobip status 500' } },
    ])
    infobip.behaviour = 'normal'
    await server.services.db
      .updateTable('outbox')
      .set({ next_at: new Date(0) })
      .execute()
    await deliver()
    expect(infobip.accepted).toHaveLength(1)
  })
})

describe('delivery reports', () => {
  it.each([
    ['orange', 'DeliveredToNetwork', 'DeliveredToTerminal', 'delivered'],
    ['orange', 'MessageWaiting', 'DeliveryImpossible', 'undelivered'],
    ['infobip', 'DELIVERED DELIVERED_TO_OPERATOR', 'DELIVERED DELIVERED_TO_HANDSET', 'delivered'],
    ['infobip', 'PENDING PENDING_ENROUTE', 'EXPIRED EXPIRED_EXPIRED', 'undelivered'],
  ] as const)(
    'of %s: %s leaves the message pending, %s is final and makes it %s',
    async (provider, first, last, outcome) => {
      const { server, deliver } = await openGateways({ SMS_PROVIDER: provider, SMS_FALLBACK: 'none' })
      bodyOf(await openBrowser(server).call('auth', { body: { msisdn: phone, email: '' } }))
      await deliver()
      const { provider_reference: reference } = await stateOf(server)
      const url = `/hooks/sms/${provider}/${reportKey}`
      const report = (words: string) => {
        const [group = '', name = ''] = words.split(' ')
        return provider === 'orange'
          ? orangeReport(reference ?? '', words)
          : infobipReport(reference ?? '', group, name)
      }
      expect(await post(server, url, report(first))).toBe(204)
      expect(await stateOf(server)).toMatchObject({ provider, delivery: 'pending' })
      expect(await post(server, url, report(last))).toBe(204)
      expect(await stateOf(server)).toMatchObject({ delivery: outcome })
      // A report that arrives late and a second time does not change the final outcome.
      expect(await post(server, url, report(first))).toBe(204)
      expect(await stateOf(server)).toMatchObject({ delivery: outcome })
    },
  )

  it.each([
    ['a wrong key', '/hooks/sms/orange/report-key-0123456780'],
    ['no key', '/hooks/sms/orange/'],
    ['an unknown gateway', `/hooks/sms/twilio/${reportKey}`],
  ])('are answered with status 404 when the URL has %s', async (_, url) => {
    const { server } = await openGateways()
    expect(await post(server, url, orangeReport('orange-1', 'DeliveredToTerminal'))).toBe(404)
  })

  it('are answered with status 404 without the key, whatever the body is', async () => {
    const { server } = await openGateways()
    const url = '/hooks/sms/orange/report-key-0123456780'
    for (const [type, payload] of [
      ['application/json', '{"broken'],
      ['text/xml', '<report/>'],
    ] as const) {
      const answer = await server.app.inject({
        method: 'POST',
        url,
        headers: { 'content-type': type },
        payload,
      })
      expect(answer.statusCode).toBe(404)
    }
  })

  it('are answered with status 404 when SMS_REPORT_KEY is not set', async () => {
    const { server } = await openGateways({ SMS_REPORT_KEY: '' })
    expect(await post(server, '/hooks/sms/orange/undefined', {})).toBe(404)
  })

  it('are answered with status 204 when they name unknown messages or have another shape', async () => {
    const { server } = await openGateways()
    const url = `/hooks/sms/infobip/${reportKey}`
    for (const body of [
      infobipReport('foreign', 'DELIVERED', 'X'),
      // PostgreSQL stores no text with a null character.
      infobipReport('a\0', 'DELIVERED', 'X'),
      { results: 'x' },
      {},
      orangeReport('x', 'y'),
    ])
      expect(await post(server, url, body)).toBe(204)
  })
})

describe('a mail server', () => {
  it('gets the code in UTF-8 after the SMTP log-in, and the code signs the applicant in', async () => {
    const smtp = await startSmtpListener({ login: 'portal', password: 'mail-secret' })
    const server = await startTestServer({
      env: { SMTP_URL: smtp.url, MAIL_FROM: 'Passeport <no-reply@example.cm>' },
    })
    opened.push(smtp, server)
    const messengers = chooseMessengers(server.services.config, server.clock, () => undefined)
    const browser = openBrowser(server)
    const contactBody = { msisdn: '', email: 'awa@example.cm' }
    bodyOf(await browser.call('auth', { body: contactBody }))
    await deliverDue(server.services, messengers)
    const [mail] = smtp.mails
    expect(mail).toMatchObject({
      from: 'no-reply@example.cm',
      to: ['awa@example.cm'],
      login: 'portal:mail-secret',
    })
    const text = mail?.source.replaceAll('=\n', '') ?? ''
    expect(text).toContain('charset=utf-8')
    expect(text).toContain('connexion =C3=A0 la demande') // "à" in UTF-8
    expect(text).toContain('Subject: Votre code de connexion')
    const otp = /: (\d{8})\b/.exec(text)?.[1] ?? ''
    expect((await browser.call('login', { body: { ...contactBody, otp } })).kind).toBe('ok')
  })

  it.each([
    ['that refuses the address', { refuses: () => true }, { reason: 'EENVELOPE', isMessageRefused: true }],
    ['that refuses the log-in', { login: 'portal', password: 'another' }, { reason: 'EAUTH' }],
  ])('%s makes sending fail, and the reason has no personal data', async (_, rules, failure) => {
    const smtp = await startSmtpListener(rules)
    opened.push(smtp)
    const server = await startTestServer({ env: { SMTP_URL: smtp.url.replace('another', 'wrong') } })
    opened.push(server)
    const { email } = chooseMessengers(server.services.config, server.clock, () => undefined)
    const result = await email.send({ ...sms, channel: 'email', to: 'awa@example.cm' })
    expect(result).toEqual({ kind: 'failed', ...failure })
  })
})

describe('the second mail server', () => {
  it('sends the mail at once when the first one fails, and for a minute after that', async () => {
    const rules = { login: 'portal', password: 'mail-secret' }
    const first = await startSmtpListener(rules)
    const second = await startSmtpListener()
    const server = await startTestServer({ env: { SMTP_URL: first.url, SMTP_FALLBACK_URL: second.url } })
    opened.push(first, second, server)
    const { email } = chooseMessengers(server.services.config, server.clock, () => undefined)
    const send = () => email.send({ ...sms, channel: 'email', to: 'awa@example.cm' })
    rules.password = 'changed'
    expect(await send()).toMatchObject({ kind: 'sent' })
    rules.password = 'mail-secret'
    server.clock.advanceSeconds(59)
    expect(await send()).toMatchObject({ kind: 'sent' })
    expect([first.mails.length, second.mails.length]).toEqual([0, 2])
    server.clock.advanceSeconds(1)
    expect(await send()).toMatchObject({ kind: 'sent' })
    expect([first.mails.length, second.mails.length]).toEqual([1, 2])
  })
})

async function post(server: TestServer, url: string, payload: object) {
  return (await server.app.inject({ method: 'POST', url, payload })).statusCode
}

async function stateOf({ services }: TestServer) {
  const columns = ['provider', 'provider_reference', 'delivery'] as const
  return services.db.selectFrom('outbox').select(columns).executeTakeFirstOrThrow()
}
