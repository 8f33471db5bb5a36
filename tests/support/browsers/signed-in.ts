import type { Page } from 'playwright-core'
import * as z from 'zod/mini'
import { apiRoot, type Language } from '#contract/codes.ts'
import { type OpenPortal, until } from '#support/servers/portal.ts'

type Person = { portal: Pick<OpenPortal, 'codeFor'>; language: Language; contact: string }

/**
 * Signs in by calls instead of screens, for tests that begin after the sign-in, and opens the list of applications.
 * `contact`: an e-mail address, a number of Cameroon without its country code, or another number with `+` and its code.
 * Returns the access token.
 */
export async function arriveSignedIn(page: Page, { portal, language, contact }: Person): Promise<string> {
  // An empty document gives access to the storage of the origin. It names an icon, so that Chromium requests none.
  await page.route('**/empty', route =>
    route.fulfill({ contentType: 'text/html', body: '<link rel="icon" href="data:,">' }),
  )
  await page.goto('/empty')
  await page.unroute('**/empty')
  const isEmail = contact.includes('@')
  const number = contact.startsWith('+') ? contact.slice(1) : `237${contact}`
  const contactBody = { msisdn: isEmail ? '' : number, email: isEmail ? contact : '' }
  // The page makes the calls, not Playwright, so that the lifetime of a cookie follows the clock of the browser, which
  // may differ from the clock of this machine (D23).
  const post = (path: string, data: object): Promise<unknown> =>
    until(`an answer of ${path}`, async () => {
      const { status, answer } = await page.evaluate(
        async ({ url, body }) => {
          const headers = { 'content-type': 'application/json' }
          const response = await fetch(url, { method: 'POST', headers, body })
          return { status: response.status, answer: (await response.json()) as unknown }
        },
        { url: `${apiRoot}${path}?lg=${language}`, body: JSON.stringify(data) },
      )
      // A server on a busy machine refuses a call at its arrival (D92); the portal sends it again too.
      return status === 503 ? undefined : answer
    })
  await post('/auth', contactBody)
  const otp = await portal.codeFor(isEmail ? contact : contactBody.msisdn)
  const { data } = LoginAnswer.parse(await post('/login', { ...contactBody, otp }))
  await page.evaluate(chosen => {
    localStorage.setItem('lg', chosen)
    localStorage.setItem('session', '1')
  }, language)
  await page.goto('/procedure')
  return data.token
}

const LoginAnswer = z.object({ data: z.object({ token: z.string() }) })
