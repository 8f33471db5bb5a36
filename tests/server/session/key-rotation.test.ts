import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { receiptKeysOf } from '#contract/receipt-keys.ts'
import { loadSecrets } from '#server/config/secrets.ts'
import { signReceipt } from '#server/features/receipt/qr-signature.ts'
import { checkCode } from '#screens/verify/check-code.ts'
import { bodyOf, openBrowser, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { createApp } from '#server/start/app.ts'
import { paymentProviders } from '#server/features/payments/providers.ts'
import { configOf, servicesOn } from '#support/servers/services-on.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { openCliFixture } from '../cli/cli-fixture.ts'

let server: TestServer
afterEach(() => server.close())

const newKey = () => randomBytes(32).toString('hex')
const newPem = () =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const inBase64 = (pem: string) => Buffer.from(pem).toString('base64')

/** Adds a process with other keys to the service: it has the same tables and the same clock. */
async function startOtherProcess(env: Record<string, string>): Promise<TestServer> {
  const { db, clock, logger } = server.services
  const services = await servicesOn(db, { clock, logger, env: { CAPTCHA: 'off', ...env } })
  const app = createApp(services, { providers: paymentProviders(services) })
  await app.ready()
  return { ...server, app, services, close: () => app.close() }
}

/** Gives the running server the keys that it would have after a restart with these settings. */
async function restartWith(env: Record<string, string>): Promise<void> {
  const config = configOf({ CAPTCHA: 'off', ...env })
  Object.assign(server.services.config, config)
  Object.assign(server.services.secrets, await loadSecrets(server.services.db, config))
}

// TOKEN_KEY signs. TOKEN_KEY_PREVIOUS never signs: round 1 sets the next key there before any process signs with it.
describe('a change of TOKEN_KEY (D110)', () => {
  it('ends no session while both keys are set, and ends the old tokens after that', async () => {
    const [old, next] = [newKey(), newKey()]
    server = await startTestServer({ offices: 'none', env: { TOKEN_KEY: old } })
    const applicant = await signIn(server)
    await restartWith({ TOKEN_KEY: old, TOKEN_KEY_PREVIOUS: next })
    await restartWith({ TOKEN_KEY: next, TOKEN_KEY_PREVIOUS: old })
    expect((await applicant.call('readAccount')).status).toBe(200)
    bodyOf(await applicant.call('refreshToken'))
    const { token } = bodyOf(await applicant.call('refreshToken')).data
    expect((await openBrowser(server, token).call('readAccount')).status).toBe(200)
    await restartWith({ TOKEN_KEY: next })
    expect((await openBrowser(server, token).call('readAccount')).status).toBe(200)
    expect((await applicant.call('readAccount')).status).toBe(401)
  })

  it.each([
    [1, 'old', 'old and new'],
    [2, 'old and new', 'new and old'],
    [3, 'new and old', 'new'],
  ] as const)(
    'lets the processes before and after the restart of round %i accept the tokens of each other',
    async (_, before, after) => {
      const [old, next] = [newKey(), newKey()]
      const settings = {
        old: { TOKEN_KEY: old },
        'old and new': { TOKEN_KEY: old, TOKEN_KEY_PREVIOUS: next },
        'new and old': { TOKEN_KEY: next, TOKEN_KEY_PREVIOUS: old },
        new: { TOKEN_KEY: next },
      }
      server = await startTestServer({ offices: 'none', env: settings[before] })
      const other = await startOtherProcess(settings[after])
      try {
        const applicant = await signIn(server)
        for (const [from, to] of [
          [server, other],
          [other, server],
        ] as const)
          await useBoth(applicant, from, to)
      } finally {
        await other.close()
      }
    },
  )

  it('keeps a session when the answer to its refresh under the old key was lost', async () => {
    const [old, next] = [newKey(), newKey()]
    server = await startTestServer({ offices: 'none', env: { TOKEN_KEY: old } })
    const applicant = await signIn(server)
    const before = new Map(applicant.cookies)
    bodyOf(await applicant.call('refreshToken'))
    for (const [name, value] of before) applicant.cookies.set(name, value)
    await restartWith({ TOKEN_KEY: next, TOKEN_KEY_PREVIOUS: old })
    // After the 10 s in which a repeated refresh gets the same successor (D22).
    await server.advanceSeconds(11)
    expect((await applicant.call('refreshToken')).status).toBe(200)
  })

  it('keeps a session when answers to its refresh were lost under the old key and under the new one', async () => {
    const [old, next] = [newKey(), newKey()]
    server = await startTestServer({ offices: 'none', env: { TOKEN_KEY: old } })
    const applicant = await signIn(server)
    const before = new Map(applicant.cookies)
    const refreshInVain = async () => {
      bodyOf(await applicant.call('refreshToken'))
      for (const [name, value] of before) applicant.cookies.set(name, value)
    }
    await refreshInVain()
    await restartWith({ TOKEN_KEY: next, TOKEN_KEY_PREVIOUS: old })
    // After the 10 s in which a repeated refresh gets the same successor (D22).
    await server.advanceSeconds(11)
    await refreshInVain()
    // The same refresh again, as from a second tab that waited for the first one, or as the next try of the first one.
    await refreshInVain()
    // After the 10 s in which a repeated refresh gets the same successor (D22).
    await server.advanceSeconds(11)
    expect((await applicant.call('refreshToken')).status).toBe(200)
    expect((await applicant.call('refreshToken')).status).toBe(200)
  })

  it('needs two different keys in production', () => {
    const key = newKey()
    expect(() => configOf({ PROFILE: 'production', TOKEN_KEY: key, TOKEN_KEY_PREVIOUS: key })).toThrow(
      'TOKEN_KEY and TOKEN_KEY_PREVIOUS must differ',
    )
  })
})

/** The applicant uses a token of one process at the other, and repeats a refresh there whose answer was lost. */
async function useBoth(applicant: SignedIn, from: TestServer, to: TestServer): Promise<void> {
  const before = new Map(applicant.cookies)
  const at = (process: TestServer, cookies = before) => {
    const browser = openBrowser(process)
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    return browser
  }
  const { token } = bodyOf(await at(from).call('refreshToken')).data
  expect((await openBrowser(to, token).call('readAccount')).status).toBe(200)
  const repeated = at(to)
  // After the 10 s in which a repeated refresh gets the same successor (D22).
  await server.advanceSeconds(11)
  expect((await repeated.call('refreshToken')).status).toBe(200)
  for (const [name, value] of repeated.cookies) applicant.cookies.set(name, value)
}

describe('a change of RECEIPT_PRIVATE_KEY (D110)', () => {
  it('keeps older receipts genuine, at the portal and for the operator', async () => {
    const [old, next, foreign] = [newPem(), newPem(), newPem()]
    server = await startTestServer({ offices: 'none' })
    await restartWith({ RECEIPT_PRIVATE_KEY: next, RECEIPT_KEYS_PREVIOUS: inBase64(old) })
    const fields = {
      applicationNumber: 'CM-2026-0000001',
      name: 'NGO Marie',
      yearOfBirth: 1990,
      office: 'CNPP',
      date: null,
    }
    const sign = (pem: string) => signReceipt(fields, createPrivateKey(pem))
    const keys = receiptKeysOf(bodyOf(await openBrowser(server).call('version')).data) ?? ''
    expect((await checkCode(sign(next), keys)).kind).toBe('genuine')
    expect((await checkCode(sign(old), keys)).kind).toBe('genuine')
    expect((await checkCode(sign(foreign), keys)).kind).toBe('forged')
    // The command line of the operator, `npm run office`.
    const officeCommand = openCliFixture(server.services)
    try {
      expect((await officeCommand.run('verify', sign(old))).kind).toBe('done')
      expect((await officeCommand.run('verify', sign(foreign))).kind).toBe('refused')
    } finally {
      officeCommand.close()
    }
  })
})
