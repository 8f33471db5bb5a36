import type { BrowserContext } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { cardPagePath, cardReturnPath } from '#contract/payment.ts'
import { answerAsServer } from '#support/browsers/answer-as-server.ts'
import type { Applicant } from '#support/browsers/applicant.ts'
import { isFullRun } from '#support/test-tier.ts'
import {
  cardAction,
  cardPage,
  cardPagesWithScript,
  gateway,
  hostileCardPages,
} from '#support/data/hostile-card-pages.ts'
import { hostileAddresses } from '#support/data/hostile-addresses.ts'
import {
  type ConfirmedApplication,
  createConfirmedApplication,
} from '#support/browsers/application-by-calls.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { collectViolations } from '#support/browsers/csp-guard.ts'

const fixture = joinBrowserFixture()
/** The form fields with the URLs to which the bank sends the payer back. */
const returnFields = ['return_url', 'cancel_url', 'refusal_url']
/** The full run tests all hostile pages, the daily run every ninth. */
const testedPages = hostileCardPages.filter((_, index) => isFullRun || index % 9 === 0)

// When the portal parses a hostile page, the CSP of the portal refuses the page's script, style and base URL.
// No other violation may occur.
const refused = ['script-src-attr inline', 'style-src-elem inline', 'base-uri https://evil.example/']
afterEach(() => {
  expect(collectViolations().filter(each => !refused.some(words => each.startsWith(words)))).toEqual([])
})

describe('the redirect to the card page, with the CSP of the portal (PAY19–PAY21, S12)', () => {
  it('runs no script, sends no form and stays on the portal when the gateway answers a hostile page', async () => {
    const { page, context, applicant } = await fixture.openSignedIn('fr', '671600001', {
      serviceWorkers: 'block',
    })
    const prepared = await createConfirmedApplication(page)
    const tryPage = await tryPages(applicant, prepared)
    const faults: string[] = []
    for (const hostile of testedPages) faults.push(...(await tryPage(hostile)))
    expect(faults).toEqual([])
    await context.close()
  })

  // The daily run tests this without a browser, in tests/screens/payment.
  it.each(isFullRun ? returnFields : [])('refuses a form with a hostile address as %s (S40)', async field => {
    const { page, context, applicant } = await fixture.openSignedIn(
      'fr',
      `67160001${returnFields.indexOf(field)}`,
      { serviceWorkers: 'block' },
    )
    const prepared = await createConfirmedApplication(page)
    const tryPage = await tryPages(applicant, prepared)
    const faults: string[] = []
    for (const [index, address] of hostileAddresses.entries()) {
      if (address === '' || index % returnFields.length !== returnFields.indexOf(field)) continue
      const value = address.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
      const inside = `<input type="hidden" name="${field}" value="${value}">`
      faults.push(...(await tryPage([address, cardPage({ inside })])))
    }
    expect(faults).toEqual([])
    await context.close()
  })

  it.each(isFullRun ? ['GET', 'POST'] : [])(
    'shows a page of the portal without external links when the bank returns the payer by %s with any URL (S40)',
    async method => {
      const { page, context } = await fixture.open({ serviceWorkers: 'block' })
      const { sent } = await interceptCardCall(context)
      const { origin } = fixture.portal()
      const faults: string[] = []
      for (const address of hostileAddresses) {
        const hostile = encodeURIComponent(address)
        const returnUrl = `${origin}${cardReturnPath}/${hostile}?return_url=${hostile}&order=${hostile}`
        if (method === 'POST')
          await context.route(returnUrl, route => route.continue({ method }), { times: 1 })
        await page.goto(returnUrl)
        const links = await page
          .getByRole('link')
          .evaluateAll(each => each.map(link => Reflect.get(link, 'href')))
        const isPortalPage = new URL(page.url()).origin === origin && new Set(links).size === 1
        const state = await page.evaluate(() => ('taken' in window ? 'script ran' : 'ok'))
        if (!isPortalPage || links[0] !== `${origin}/` || state !== 'ok' || sent.length > 0)
          faults.push(`${address}: ${page.url()} ${links.join(' ')} ${state} ${sent.join(' ')}`)
      }
      expect(faults).toEqual([])
      await context.close()
    },
  )

  it.runIf(isFullRun)(
    'shows the target and the amount, and opens the target by itself unless the payer cancels',
    async () => {
      const { page, context, applicant } = await fixture.openSignedIn('en', '671600002', {
        serviceWorkers: 'block',
      })
      const { t } = applicant
      const prepared = await createConfirmedApplication(page)
      const { sent, answer } = await interceptCardCall(context)
      await openPayment(applicant, prepared)

      // After Cancel nothing is sent, and the payment screen is shown.
      answer(cardPage())
      const words = { heading: t('cardPayment.heading'), cancel: t('button.cancel') }
      const shownText = page.evaluate(cancelRedirect, words)
      await applicant.button('button.pay').click()
      expect(await shownText).toMatch(/110,000.*gateway\.example/)
      await applicant.heading('payment.heading')
      await page.waitForTimeout(1_500) // longer than `cardFormDelayMs`, the delay before the portal sends the form
      expect(sent).toEqual([])

      const faults: string[] = []
      for (const [name, html] of [['a correct page', cardPage()] as const, ...cardPagesWithScript]) {
        sent.length = 0
        answer(html)
        await openPayment(applicant, prepared)
        await applicant.button('button.pay').click()
        await page.waitForURL(cardAction)
        const expectedBody = 'signature=s&cpm_amount=110000&cpm_currency=XAF&cpm_trans_id=PO-1'
        if (sent.join(' ') !== `POST ${cardAction} ${expectedBody}`) faults.push(`${name}: ${sent.join(' ')}`)
      }
      expect(faults).toEqual([])

      // Back from the bank the payer sees the payment screen, not the page that sends the form.
      await page.goBack()
      await page.getByRole('heading', { level: 1, name: t('payment.heading'), exact: true }).waitFor()
      await context.close()
    },
  )
})

/**
 * Opens the payment screen. Returns a function that pays with a hostile page as the gateway's answer. That function
 * returns one line when a script ran, another document replaced the portal, or a request went to another host;
 * otherwise none.
 */
async function tryPages(applicant: Applicant, prepared: ConfirmedApplication) {
  const { page, button } = applicant
  const { sent, answer } = await interceptCardCall(page.context())
  await openPayment(applicant, prepared)
  // The property is lost when another page replaces the portal. `taken` is set by the scripts of the hostile pages.
  await page.evaluate(() => Object.assign(window, { isPortal: true }))
  return async ([name, html]: readonly [string, string]): Promise<string[]> => {
    sent.length = 0
    answer(html)
    const shown = page.waitForRequest(`**${cardPagePath}/**`)
    await button('button.pay').click()
    await shown
    await button('button.pay').waitFor()
    const state = await page.evaluate(() =>
      'taken' in window ? 'script ran' : 'isPortal' in window ? 'ok' : 'left the portal',
    )
    return state === 'ok' && sent.length === 0 ? [] : [`${name}: ${state} ${sent.join(' ')}`]
  }
}

/**
 * Runs in the page: presses Cancel as soon as the button is shown under this heading. It waits for the heading because the
 * payment screen, which is shown first, has a button with the same label. Resolves to the page's text at the press.
 */
function cancelRedirect({ heading, cancel }: { heading: string; cancel: string }): Promise<string> {
  return new Promise(resolve => {
    const observer = new MutationObserver(() => {
      const button = [...document.querySelectorAll('main button')].find(each => each.textContent === cancel)
      const isShown = document.querySelector('h1')?.textContent === heading
      if (!(button instanceof HTMLButtonElement) || !isShown) return
      observer.disconnect()
      const text = document.querySelector('main')?.textContent ?? ''
      button.click()
      resolve(text)
    })
    observer.observe(document.body, { childList: true, subtree: true })
  })
}

/** Answers each card payment with the page last given to `answer`. Records every request to another host in `sent`. */
async function interceptCardCall(context: BrowserContext) {
  const sent: string[] = []
  let data = ''
  await context.route('**/api/v1/payments/card-payment-init*', route =>
    answerAsServer(route, { json: { status: 'Success', data, page: `${cardPagePath}/ticket-1` } }),
  )
  await context.route('**/api/v1/payments/payment-methods*', route =>
    answerAsServer(route, {
      json: { data: [{ type: 'CARD', enable: true, fee: 110_000, currency: 'XAF' }] },
    }),
  )
  await context.route('**/api/v1/version', async route => {
    const answer = await route.fetch()
    const { data: known } = await answer.json()
    await answerAsServer(route, { json: { data: { ...known, cardGateways: [gateway] } } })
  })
  // With status 204 the browser stays on the current page.
  await context.route(`**${cardPagePath}/**`, route => route.fulfill({ status: 204 }))
  await context.route(/^https?:\/\/(?!localhost[:/])/, route => {
    const request = route.request()
    sent.push([request.method(), request.url(), request.postData() ?? ''].join(' ').trim())
    return route.fulfill({ contentType: 'text/html', body: '<h1>Elsewhere</h1>' })
  })
  return { sent, answer: (html: string) => void (data = html) }
}

async function openPayment({ page, heading, t }: Applicant, { appId, appNumber }: ConfirmedApplication) {
  await page.goto(`${fixture.portal().origin}/payment/${appId}/${appNumber}`)
  await heading('payment.heading')
  await page.getByRole('radio', { name: t('method.CARD') }).check()
}
