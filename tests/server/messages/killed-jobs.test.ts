import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { doNothing } from '#device/do-nothing.ts'
import type { TestDatabase } from '#support/servers/test-databases.ts'
import { isFullRun } from '#support/test-tier.ts'
import { startInfobipSimulator, startOrangeSimulator } from '#support/providers/sms-simulators.ts'
import { type SmtpListener, startSmtpListener } from '#support/providers/smtp-listener.ts'
import { type FakeServiceRequest, startFakeHttpService } from '#support/providers/fake-services.ts'
import { type Moment, startStatementProxy } from '#support/servers/statement-proxy.ts'
import { bundleChild } from '../database/child.ts'
import { now, openReminderDatabase, expireClaims, insertDueApplicants } from './due-applicants.ts'

// Separate processes with real gateway protocols, ended by SIGKILL, so that no code can clean up.

let database: TestDatabase
let jobs: Awaited<ReturnType<typeof bundleChild>>
let mail: SmtpListener
beforeAll(async () => {
  jobs = await bundleChild('../messages/child-jobs.ts')
  database = await openReminderDatabase()
  mail = await startSmtpListener()
})
afterAll(async () => {
  await mail.close()
  await database.close()
  jobs.remove()
})

type Sms = { text: string; key: string | undefined }
type Gateway = {
  env: Record<string, string>
  /** Whether the gateway gets the portal's key, by which it recognises a repeat. */
  knowsKeys: boolean
  /** All messages that the gateway accepted, including repeats. */
  taken(): Sms[]
  whenAccepted(act: () => void): void
  close(): Promise<void>
}

const gateways = { infobip: openInfobip, http: openHttp, orange: openOrange }
type GatewayName = keyof typeof gateways
const gatewayNames = Object.keys(gateways) as GatewayName[] // The keys of the literal above.

/** When a process is killed: at a statement, by its number or text, or after a gateway accepted a message. */
type End =
  | { at: number | string; moment: Moment }
  | { at: 'the SMS gateway' | 'the mail server'; moment: 'taken' }
  | 'its own end'

const claim = 'attempts = attempts + 1'
const note = 'provider_reference'
const ends: { where: string; end: End }[] = [
  { where: 'before the claim', end: { at: claim, moment: 'before' } },
  { where: 'after the claim, before sending', end: { at: claim, moment: 'after' } },
  {
    where: 'after the gateway accepted an SMS, before the response',
    end: { at: 'the SMS gateway', moment: 'taken' },
  },
  {
    where: 'after the server accepted a mail, before the response',
    end: { at: 'the mail server', moment: 'taken' },
  },
  { where: 'before it records the result', end: { at: note, moment: 'before' } },
  { where: 'after it recorded the first result', end: { at: note, moment: 'after' } },
]

/** Runs one process from its start to its end. */
async function live(gateway: Gateway, end: End): Promise<'done' | 'killed'> {
  const proxy = await startStatementProxy(database.databaseUrl)
  const kill = () => void child.kill()
  if (end !== 'its own end' && end.moment !== 'taken') proxy.breakAt(end.at, end.moment, kill)
  if (end !== 'its own end' && end.at === 'the SMS gateway') gateway.whenAccepted(kill)
  if (end !== 'its own end' && end.at === 'the mail server') mail.onAccepted = kill
  const child = jobs.start(
    JSON.stringify({
      NOW: now.toISOString(),
      DATABASE_URL: proxy.databaseUrl,
      SMTP_URL: mail.url,
      MAIL_FROM: 'Passeport <no-reply@portal.example.cm>',
      ...gateway.env,
    }),
  )
  const line = await child.nextLine()
  await child.kill()
  gateway.whenAccepted(doNothing)
  mail.onAccepted = doNothing
  proxy.close()
  return line === 'done' ? 'done' : 'killed'
}

/**
 * Expects that the outbox has these keys, all sent, and that people got each message. A repeat counts once: a gateway
 * that knows the key or the Message-ID does not deliver it, and for a gateway without keys only the different texts are
 * counted.
 */
async function expectEachOnce(gateway: Gateway, keys: string[]): Promise<void> {
  const rows = await database.db.selectFrom('outbox').select(['key', 'sent_at', 'failed_at']).execute()
  expect(rows.map(({ key }) => key).toSorted()).toEqual(keys)
  expect(rows.filter(({ sent_at, failed_at }) => sent_at === null || failed_at !== null)).toEqual([])
  const bySms = keys.filter(key => key.endsWith(':sms'))
  const sms = gateway.taken()
  expect(new Set(sms.map(({ text }) => text)).size).toBe(bySms.length)
  expect(new Set(sms.map(({ key }) => key))).toEqual(new Set(gateway.knowsKeys ? bySms : [undefined]))
  const ids = mail.mails.map(({ source }) => /^Message-ID:\s*<(.*)@portal\.example\.cm>$/m.exec(source)?.[1])
  const byMail = keys.filter(key => key.endsWith(':email')).map(key => key.replaceAll(':', '-'))
  expect(new Set(ids)).toEqual(new Set(byMail))
}

/**
 * Makes this number of applicants due for a warning, and as many for a reminder. Returns the keys of their messages.
 */
async function resetData(applicantsOfEachKind: number): Promise<string[]> {
  mail.mails.length = 0
  return insertDueApplicants(database, applicantsOfEachKind)
}

describe('a process that is killed', () => {
  it.runIf(isFullRun).each(gatewayNames)(
    'loses no message by %s when it is killed before or after the claim, or after sending (F12)',
    async name => {
      const gateway = await gateways[name]()
      const keys = await resetData(1)
      for (const { where, end } of ends) {
        expect([where, await live(gateway, end)]).toEqual([where, 'killed'])
        await expireClaims(database)
      }
      expect(await live(gateway, 'its own end')).toBe('done')
      await expectEachOnce(gateway, keys)
      await gateway.close()
    },
    300_000,
  )
})

describe.runIf(isFullRun)('a process that is killed at one of its statements', () => {
  it.each(gatewayNames)(
    'loses no message by %s after a restart, and sends at most twice as many',
    async name => {
      const gateway = await gateways[name]()
      let kills = 0
      for (const moment of ['before', 'after'] as const)
        for (let at = 1, end = 'killed'; end === 'killed'; at += name === 'infobip' ? 1 : 5) {
          const before = gateway.taken().length
          const keys = await resetData(1)
          end = await live(gateway, { at, moment })
          await expireClaims(database)
          expect(await live(gateway, 'its own end')).toBe('done')
          await expectEachOnce({ ...gateway, taken: () => gateway.taken().slice(before) }, keys)
          // Each of the two applicants gets one SMS. Without a key a gateway cannot recognise a repeat, so each SMS may
          // arrive twice.
          expect(gateway.taken().length - before).toBeLessThanOrEqual(2 * 2)
          if (end === 'killed') kills += 1
        }
      expect(kills).toBeGreaterThan(name === 'infobip' ? 40 : 8)
      await gateway.close()
    },
    1_800_000,
  )
})

describe('three processes at once', () => {
  it(
    'lose no message, and repeat one only with its key, when two of them are killed (F12)',
    async () => {
      const gateway = await openInfobip()
      let before = 0
      for (const at of isFullRun ? Array.from({ length: 10 }, (_, index) => 3 * index + 1) : [14]) {
        before = gateway.taken().length
        const keys = await resetData(isFullRun ? 3 : 1)
        await Promise.all([
          live(gateway, { at, moment: 'before' }),
          live(gateway, { at: at + 3, moment: 'after' }),
          live(gateway, 'its own end'),
        ])
        await expireClaims(database)
        expect(await live(gateway, 'its own end')).toBe('done')
        await expectEachOnce({ ...gateway, taken: () => gateway.taken().slice(before) }, keys)
      }
      await gateway.close()
    },
    isFullRun ? 1_800_000 : 60_000,
  )
})

/** This gateway uses the portal's key as the id of a message. */
async function openInfobip(): Promise<Gateway> {
  const simulator = await startInfobipSimulator('key')
  return {
    env: { SMS_PROVIDER: 'infobip', INFOBIP_URL: simulator.url, INFOBIP_KEY: 'key', INFOBIP_SENDER: 'DGSN' },
    knowsKeys: true,
    taken: () => simulator.accepted.map(({ text, reference }) => ({ text, key: reference })),
    whenAccepted(act) {
      simulator.onAccepted = act
    },
    close: () => simulator.close(),
  }
}

/** A gateway that supports an Idempotency-Key. */
async function openHttp(): Promise<Gateway> {
  const requests: FakeServiceRequest[] = []
  let onTaken: () => void = doNothing
  const fakeService = await startFakeHttpService(each => {
    requests.push(each)
    onTaken()
    return {}
  })
  return {
    env: { SMS_PROVIDER: 'http', SMS_URL: `http://127.0.0.1:${fakeService.port}/send` },
    knowsKeys: true,
    taken: () =>
      requests.map(({ body, headers }) => ({ text: body, key: String(headers['idempotency-key']) })),
    whenAccepted(act) {
      onTaken = act
    },
    close: () => fakeService.close(),
  }
}

/** A gateway without keys: it sends a repeated message twice. */
async function openOrange(): Promise<Gateway> {
  const account = { clientId: 'id', clientSecret: 'secret', sender: '237699000000' }
  const simulator = await startOrangeSimulator(account)
  return {
    env: {
      SMS_PROVIDER: 'orange',
      ORANGE_URL: simulator.url,
      ORANGE_CLIENT_ID: account.clientId,
      ORANGE_CLIENT_SECRET: account.clientSecret,
      ORANGE_SENDER: account.sender,
    },
    knowsKeys: false,
    taken: () => simulator.accepted.map(({ text }) => ({ text, key: undefined })),
    whenAccepted(act) {
      simulator.onAccepted = act
    },
    close: () => simulator.close(),
  }
}
