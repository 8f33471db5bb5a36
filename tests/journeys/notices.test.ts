import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { answerAsServer } from '#support/browsers/answer-as-server.ts'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'

const fixture = startBrowserFixture()

describe('a notice', () => {
  it.each([
    ['on a phone', { width: 360, height: 800 }],
    ['on a desk, where the page fits into the window', { width: 1_280, height: 1_000 }],
  ])('takes its room from the header, covers nothing and moves nothing %s (ERR29, D51)', async (_, size) => {
    const { page, context, applicant, field, notice, send } = await openRefusedSignIn(size)
    const before = await topOf(field)

    await send()
    expect(await topOf(field)).toBe(before)
    expect(await page.evaluate(findCoveredElements)).toEqual([])

    await page.clock.fastForward(15_500)
    await notice.waitFor({ state: 'detached' })
    await page.getByText(applicant.t('notice.last')).waitFor()
    expect(await topOf(field)).toBe(before)

    // A second notice takes the place of the first.
    await send()
    expect(await topOf(field)).toBe(before)
    await page.getByRole('alert').getByRole('button').click()
    await notice.waitFor({ state: 'detached' })
    expect(await topOf(field)).toBe(before)
    await context.close()
  })

  it('lies at the top of a scrolled window, but not over the field in use (ERR29)', async () => {
    const { page, context, field, notice, press } = await openRefusedSignIn({ width: 360, height: 500 })
    await field.focus()
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight))
    await field.evaluate(element => window.scrollBy(0, element.getBoundingClientRect().top - 10))
    await press()
    await notice.waitFor()
    expect(await topOf(notice.locator('..'))).toBeGreaterThanOrEqual(0)
    const box = await notice.locator('..').boundingBox()
    expect(await topOf(field)).toBeGreaterThanOrEqual(Math.round((box?.y ?? 0) + (box?.height ?? 0)))
    await context.close()
  })

  it('leaves no room on the next page (D51)', async () => {
    const { page, context, applicant, send } = await openRefusedSignIn({ width: 360, height: 800 })
    await send()
    await page.getByRole('alert').getByRole('button').click()
    await page.getByRole('link', { name: applicant.t('app.help') }).click()
    await applicant.heading('help.heading')
    const place = page.getByRole('region', { name: applicant.t('notice.region') }).locator('..')
    await expect.poll(async () => (await place.boundingBox())?.height).toBe(0)
    expect(await page.evaluate(() => scrollY)).toBe(0)
    await context.close()
  })
})

/** Opens the sign-in by e-mail with an address that the server refuses. */
async function openRefusedSignIn(size: { width: number; height: number }) {
  // A service worker that becomes active during the request would bypass the route of this test.
  const opened = await fixture.openWelcome('fr', { ...size, serviceWorkers: 'block' })
  const { page, applicant } = opened
  await page.clock.install()
  await page.goto('/mail')
  await page.route('**/api/v1/auth*', route =>
    answerAsServer(route, { status: 422, json: { statusCode: 422 } }),
  )
  const field = applicant.field('mail.address')
  await field.fill(`avis.${size.width}.${size.height}@example.cm`)
  const notice = page.getByRole('alert').getByText(applicant.t('notice.checkEmail'))
  const button = applicant.button('button.continue')
  await button.scrollIntoViewIfNeeded()
  return {
    ...opened,
    field,
    notice,
    /** Without the scrolling of a click. */
    press: () => button.dispatchEvent('click'),
    send: async () => {
      await button.click()
      await notice.waitFor()
    },
  }
}

async function topOf(element: Locator): Promise<number> {
  return Math.round((await element.boundingBox())?.y ?? Number.NaN)
}

/** Runs in the page: the elements of the page that lie under the notice. */
function findCoveredElements(): string[] {
  const notice = document.querySelector('[role=alert] > *')?.getBoundingClientRect()
  const others = document.querySelectorAll('main :is(h1, h2, p, label, input, select, button, a)')
  return [...others]
    .filter(each => !each.closest('[role=alert]'))
    .filter(each => {
      const { top, bottom } = each.getBoundingClientRect()
      return notice !== undefined && bottom > top && top < notice.bottom && bottom > notice.top
    })
    .map(each => each.outerHTML)
}
