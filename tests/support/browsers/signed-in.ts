import type { Page } from 'playwright-core'
import * as z from 'zod/mini'
import { apiRoot, type Language } from '#contract/codes.ts'
import type { OpenPortal } from '#support/servers/portal.ts'

type Person = { portal: Pick<OpenPortal, 'codeFor'>; language: Language; contact: string }

/**
 * Signs in by calls instead of screens, for tests that begin after the sign-in, and opens the list of applications.
 * `contact`: an e-mail address, or a number of Cameroon without its country code. Returns the access token.
 */
export async function arriveSignedIn(page: Page, { portal, language, contact }: Person): Promise<string> {
  // An empty document gives access to the storage of the origin. Its icon stops Chromium from requesting one.
  await page.route('**/empty', route =>
    route.fulfill({ contentType: 'text/html', body: '<link rel="icon" href="data:,">' }),
  )
  await page.goto('/empty')
  await page.unroute('**/empty')
  const isEmail = contact.includes('@')
  const named = { msisdn: isEmail ? '' : `237${contact}`, email: isEmail ? contact : '' }
  const post = (path: string, data: object) =>
    page.request.post(`${apiRoot}${path}?lg=${language}`, {
      data,
      headers: { 'sec-fetch-site': 'same-origin' },
    })
  await post('/auth', named)
  const otp = await portal.codeFor(isEmail ? contact : named.msisdn)
  // The browser context stores the cookie of the response too.
  const { data } = LoginAnswer.parse(await (await post('/login', { ...named, otp })).json())
  await page.evaluate(chosen => {
    localStorage.setItem('lg', chosen)
    localStorage.setItem('session', '1')
  }, language)
  await page.goto('/procedure')
  return data.token
}

const LoginAnswer = z.object({ data: z.object({ token: z.string() }) })
