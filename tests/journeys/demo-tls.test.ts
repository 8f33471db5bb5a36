import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Browser } from 'playwright-core'
import { createApplicant } from '#support/browsers/applicant.ts'
import { launchChromium } from '#support/browsers/chromium.ts'
import { type Portal, startTlsPortal } from '#support/servers/portal.ts'
import { isFullRun } from '#support/test-tier.ts'

let portal: Portal
let browser: Browser

beforeAll(async () => {
  portal = await startTlsPortal()
  browser = await launchChromium()
})
afterAll(async () => {
  await browser.close()
  await portal.close()
})

describe('npm start -- --tls', () => {
  it('serves the demo over https at localhost and 127.0.0.1 (D65)', async () => {
    await signInAt(portal.origin, '671800000')
    await signInAt(portal.origin.replace('localhost', '127.0.0.1'), '671800001')
    expect(portal.log()).toContain('warns once')
  })

  it.runIf(isFullRun)(
    'serves the demo over https at the address that it prints for a phone (D65)',
    async ({ skip }) => {
      const [printed] = /(?<=A phone on the same network opens )\S+/.exec(portal.log()) ?? []
      if (printed === undefined) return skip('this machine has no network address')
      await signInAt(printed, '671800002')
      return undefined
    },
  )
})

async function signInAt(baseURL: string, phone: string): Promise<void> {
  const context = await browser.newContext({ baseURL, ignoreHTTPSErrors: true })
  const page = await context.newPage()
  await page.goto('/')
  await createApplicant(page, portal, 'fr').signInByPhone(phone)
  await page.waitForURL('**/procedure')
  const { cookies } = await context.storageState()
  expect(cookies.find(({ name }) => name === '__Host-refresh')).toMatchObject({ secure: true })
  await context.close()
}
