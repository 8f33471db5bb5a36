import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { toWire } from '#contract/application.ts'
import { apiRoot } from '#contract/codes.ts'
import { openServer, type OpenServer } from '#server/start/open-server.ts'
import type { OutgoingMessage } from '#server/integrations/messenger.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { configOf } from '#support/servers/services-on.ts'
import { isFullRun } from '#support/test-tier.ts'

let folder: string | undefined
let server: OpenServer | undefined
let origin: string
const printed: OutgoingMessage[] = []

beforeAll(async () => {
  if (!isFullRun) return
  folder = mkdtempSync(join(tmpdir(), 'demo-'))
  const env = {
    PORT: '0',
    DATA_DIR: folder,
    DATABASE_URL: 'memory://',
    CAPTCHA: 'off',
    PAYMENT_SIMULATORS: 'on',
  }
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }
  server = await openServer({ config: configOf(env), logger, printMessage: message => printed.push(message) })
  origin = await server.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  await server?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

describe.runIf(isFullRun)('the demo with PAYMENT_SIMULATORS=on', () => {
  it('enables every method except the whitelist, and a simulated payer approves on the phone (PAY04)', async () => {
    const { token } = await signIn('237671234599')
    const get = (path: string) =>
      fetch(`${origin}${apiRoot}${path}`, { headers: { authorization: `Bearer ${token}` } })
    const post = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const answer = await fetch(`${origin}${apiRoot}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      return answer.text()
    }
    const methods = z.parse(Methods, await (await get('/payments/payment-methods')).json()).data
    expect(methods.filter(({ enable }) => !enable).map(({ type }) => type)).toEqual(['WHITELIST'])
    const id = idIn(await post('/applications', {}))
    await post(`/applications/${id}/confirmData`, toWire(firstPassport))
    const page = await post(`/payments/uba-payment-init?applicationId=${id}`, {})
    expect(page).toContain('http://127.0.0.1')
    // The payer has not opened the card page, so a phone payment replaces the card order.
    const payment = idIn(
      await post(`/payments/mobile-payment-init?applicationId=${id}&phone=237671234599`, {}),
    )
    const status = () => get(`/payments/${payment}?applicationId=${id}`).then(answer => answer.text())
    await expect.poll(status, { interval: 1_000 }).toContain('SUCCESS')
  })
})

const Methods = z.object({ data: z.array(z.object({ type: z.string(), enable: z.boolean() })) })

async function signIn(msisdn: string): Promise<{ token: string }> {
  const codeAnswer = await sendSignIn('/auth?lg=en', { msisdn, email: '' })
  await expect.poll(() => printed.length).toBeGreaterThan(0)
  const cookie = codeAnswer.headers
    .getSetCookie()
    .map(each => each.split(';')[0])
    .join('; ')
  const answer = await sendSignIn(
    '/login?lg=en',
    { msisdn, email: '', otp: printed.at(-1)?.code ?? '' },
    cookie,
  )
  return z.parse(z.object({ data: z.object({ token: z.string() }) }), await answer.json()).data
}

function idIn(text: string): string {
  return /"id":"([\w-]+)"/.exec(text)?.[1] ?? text
}

function sendSignIn(path: string, body: object, cookie = '') {
  return fetch(`${origin}${apiRoot}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify(body),
  })
}
