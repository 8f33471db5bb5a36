import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Browser } from 'playwright-core'
import { createApplicant } from '#support/browsers/applicant.ts'
import { launchChromium } from '#support/browsers/chromium.ts'
import { type Portal, startTlsPortal } from '#support/servers/portal.ts'

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
  it('serves the demo over https at localhost and at the printed addresses (D65)', async () => {
    const [printed = ''] = /(?<=A phone on the same network opens ).*/.exec(portal.log()) ?? []
    const addresses = [portal.origin, '127.0.0.1', ...printed.split(' or ')].filter(each => each !== '')
    for (const [index, address] of addresses.slice(0, 3).entries()) {
      const baseURL = address.startsWith('https:') ? address : portal.origin.replace('localhost', address)
      const context = await browser.newContext({ baseURL, ignoreHTTPSErrors: true })
      const page = await context.newPage()
      await page.goto('/')
      await createApplicant(page, portal, 'fr').signInByPhone(`67180000${index}`)
      await page.waitForURL('**/procedure')
      const { cookies } = await context.storageState()
      expect(cookies.find(({ name }) => name === '__Host-refresh')).toMatchObject({ secure: true })
      await context.close()
    }
    expect(portal.log()).toContain('warns once')
  })
})
