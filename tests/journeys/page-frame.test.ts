import { EventEmitter, once } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { answerAsServer } from '#support/browsers/answer-as-server.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { stopClock } from '#support/browsers/stop-clock.ts'
import { isFullRun, testedLanguages } from '#support/test-tier.ts'

const fixture = joinBrowserFixture()
const list = '**/api/v1/applications?*'

/** Replaces the answer of the list call, as another back end may send it. */
async function answerList(page: Page, cards: unknown[]) {
  await page.route(list, route => answerAsServer(route, { json: { data: cards } }))
}

function card(number: string, currentState: string, appointment: { id: string } | null = null) {
  return {
    id: `018f3a00-0000-7000-8000-0000000000${number}`,
    applicationNumber: number,
    currentState,
    appointment,
  }
}

describe('the frame of every screen', () => {
  it('offers EN and FR, and keeps the choice after a reload in the storage key lg (NAV18, NAV20, NAV21)', async () => {
    const { page, context, applicant } = await fixture.openWelcome('en')
    await applicant.heading('welcome.heading')
    await expect.poll(() => page.evaluate(() => localStorage.getItem('lg'))).toBe('en')
    await page.reload()
    await applicant.heading('welcome.heading')
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('en')
    await page.getByRole('button', { name: 'FR', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: /passeport/i }).waitFor()
    await expect.poll(() => page.evaluate(() => localStorage.getItem('lg'))).toBe('fr')
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('fr')
    await context.close()
  })

  it('shows the release of the portal and the version of the server (NAV22, NAV23)', async () => {
    const { page, context } = await fixture.openWelcome('en')
    const footer = page.getByRole('contentinfo')
    const release = await footer.getByText(/^Version \d+\.\d+\.\d+/).textContent()
    const answer = await page.request.get('/api/v1/version')
    const { version }: { version: string } = (await answer.json()).data
    // One line when both are equal.
    await footer.getByText(release === `Version ${version}` ? release : `Server ${version}`).waitFor()
    await context.close()
  })
})

describe('the quiet buttons of a wide screen', () => {
  it('begin at the left edge of the column, like the fields above them', async () => {
    const { page, context, applicant } = await fixture.openSignedIn('fr', 'bord@example.cm', {
      width: 1_280,
      height: 800,
    })
    await applicant.startApplication()
    await page.getByRole('button', { name: applicant.t('earlier.button') }).waitFor()
    await page
      .getByRole('button', { name: applicant.t('handOver.button') })
      .first()
      .waitFor()
    expect(await page.evaluate(findTextEdges)).toEqual([0, 0])
    await context.close()
  })
})

/** Runs in the page: how far the text of each quiet button is from the left edge of the first label, in pixels. */
function findTextEdges(): number[] {
  const edge = document.querySelector('main form label')?.getBoundingClientRect().left ?? NaN
  return [...document.querySelectorAll('main button[class*="_quiet_"] > span')]
    .filter(text => text.getClientRects().length > 0)
    .map(text => Math.round(text.getBoundingClientRect().left - edge))
}

describe('the list of applications', () => {
  it.each(testedLanguages)(
    'shows one card per application, and no start button while it loads, in %s (LST01, LST08, S67)',
    async language => {
      const { page, context, applicant } = await fixture.openSignedIn(
        language,
        `liste.${language}@example.cm`,
      )
      const server = new EventEmitter()
      const allowed = once(server, 'ready')
      await page.route(list, async route => {
        await allowed
        await answerAsServer(route, {
          json: { data: [card('11', 'FAILED'), card('12', 'DELETED'), card('13', 'UNHEARD_OF')] },
        })
      })
      await page.reload()
      await applicant.heading('procedure.heading')
      const start = page.getByRole('button', { name: applicant.t('procedure.new') })
      await page.getByText(applicant.t('app.loading')).first().waitFor()
      expect(await start.count()).toBe(0)
      server.emit('ready')
      await start.waitFor()
      for (const words of [applicant.t('state.FAILED'), applicant.t('state.DELETED'), 'UNHEARD_OF'])
        await page.getByText(words, { exact: true }).waitFor()
      // A button shows the next card, so that swiping is not required.
      await page.getByRole('button', { name: applicant.t('button.next') }).click()
      await page.getByText(applicant.t('carousel.position', { position: 2, total: 3 })).waitFor()
      // The deleted one is the last, and less high than the others: there is nothing to do with it.
      const cards = page.getByRole('article')
      expect(await cards.last().textContent()).toContain(applicant.t('state.DELETED'))
      const heights = await cards.evaluateAll(each => each.map(one => one.getBoundingClientRect().height))
      expect(heights).toHaveLength(3)
      expect(heights[2]).toBeLessThan(Math.min(...heights.slice(0, 2)))
      await context.close()
    },
  )

  it.runIf(isFullRun)(
    'starts an application and opens its form with the ids of the server (LST09)',
    async () => {
      const { page, context, applicant } = await fixture.openSignedIn('fr', 'nouvelle@example.cm')
      const answered = page.waitForResponse(
        response => response.request().method() === 'POST' && response.url().endsWith('/api/v1/applications'),
      )
      await applicant.startApplication()
      const { id, applicationNumber }: { id: string; applicationNumber: string } = (
        await (await answered).json()
      ).data
      expect(new URL(page.url()).pathname).toBe(`/form/${id}/${applicationNumber}/GeneralData`)
      await context.close()
    },
  )

  it.runIf(isFullRun)(
    'requests the list once more when a card has no appointment, then says that something went wrong, and stays (S49)',
    async () => {
      const { page, context, applicant } = await fixture.openSignedIn('en', 'sans.rendezvous@example.cm')
      await answerList(page, [card('14', 'APPOINTMENT_SCHEDULED')])
      await page.reload()
      const action = page.getByRole('button', { name: applicant.t('procedure.open.final') })
      await action.waitFor()
      const requestedUrls: string[] = []
      page.on(
        'request',
        request => request.url().includes('/applications?') && requestedUrls.push(request.url()),
      )
      await action.click()
      await page.getByText('Something went wrong. Please try again later').first().waitFor()
      expect(requestedUrls).toHaveLength(1)
      expect(new URL(page.url()).pathname).toBe('/procedure')
      await context.close()
    },
  )

  it.runIf(isFullRun)(
    'is linked from the welcome page when the applicant is signed in, without a redirect (S50)',
    async () => {
      const { page, context, applicant } = await fixture.openSignedIn('fr', 'retour@example.cm')
      await page.goto('/')
      await applicant.heading('welcome.heading')
      await page.getByRole('link', { name: applicant.t('welcome.toProcedure') }).click()
      await applicant.heading('procedure.heading')
      await context.close()
    },
  )
})

describe('when the service fails', () => {
  it.each(testedLanguages)(
    'shows the danger notice for 15 seconds, in %s (ERR11, ERR29, S87)',
    async language => {
      // A service worker that becomes active during the request would bypass the route of this test.
      const { page, context, applicant } = await fixture.openWelcome(language, { serviceWorkers: 'block' })
      await page.clock.install()
      await page.goto('/mail')
      await page.route('**/api/v1/auth*', route =>
        answerAsServer(route, { status: 503, json: { statusCode: 503 } }),
      )
      await applicant.field('mail.address').fill('quinze.secondes@example.cm')
      // On a running clock the time of the notice could be over before the test looks. The test stops the clock only after
      // hydration: when the test presses before, the page repeats the press by a timer, which a stopped clock never runs.
      await page.locator('#root:not([data-painted])').waitFor()
      await stopClock(page)
      await applicant.button('button.continue').click()
      const notice = page.getByRole('alert').getByText(applicant.t('notice.serviceUnavailable'))
      await notice.waitFor()
      await page.clock.fastForward(14_000)
      expect(await notice.count()).toBe(1)
      await page.clock.fastForward(1_500)
      await notice.waitFor({ state: 'detached' })
      await context.close()
    },
  )

  it.each(testedLanguages)(
    'shows the code of an incident to tell the help desk, in %s (ERR30)',
    async language => {
      const { page, context, applicant } = await fixture.openWelcome(language, { serviceWorkers: 'block' })
      await page.goto('/mail')
      const failure = {
        statusCode: 500,
        reason: 'unexpected',
        data: { statusCode: 500, incident: 'K7QF-2M9P' },
      }
      await page.route('**/api/v1/auth*', route => answerAsServer(route, { status: 500, json: failure }))
      await applicant.field('mail.address').fill('incident@example.cm')
      await applicant.button('button.continue').click()
      const text = `${applicant.t('notice.serviceUnavailable')} ${applicant.t('notice.incident', { incident: 'K7QF-2M9P' })}`
      await page.getByRole('alert').getByText(text).waitFor()
      await context.close()
    },
  )

  it.each(
    isFullRun
      ? [
          [360, '100%'],
          [320, '200%'],
          [1_280, '100%'],
        ]
      : [[360, '100%']],
  )(
    'gives a notice room of its own, and does not move the heading when it disappears, at %i px and text at %s (D51)',
    async (width, textSize) => {
      const { page, context, applicant } = await fixture.openWelcome('fr', { serviceWorkers: 'block' })
      await page.clock.install()
      await page.goto('/mail')
      await page.evaluate(size => void (document.documentElement.style.fontSize = size), textSize)
      // Changed after the text size: Chromium evaluates a container query in rem again only when the container changes.
      await page.setViewportSize({ width, height: 640 })
      // Every call gets this answer: a call that succeeds would remove the banner of the busy service and move the heading.
      await page.route('**/api/v1/**', route =>
        answerAsServer(route, { status: 503, json: { statusCode: 503 } }),
      )
      await applicant.field('mail.address').fill('place.reservee@example.cm')
      await applicant.button('button.continue').click()
      const notice = page.getByRole('alert').getByText(applicant.t('notice.serviceUnavailable'))
      await notice.waitFor()
      await page.evaluate(() => scrollTo(0, 0))
      const shown = await page.evaluate(findEdges)
      expect(shown.noticeHeight).toBeGreaterThan(0)
      expect(shown.others).toBeGreaterThan(3)
      expect(shown.atHeightOfNotice).toEqual([])
      await page.clock.fastForward(15_500)
      await notice.waitFor({ state: 'detached' })
      expect((await page.evaluate(findEdges)).headingTop).toBe(shown.headingTop)
      await page
        .getByRole('main')
        .getByText(applicant.t('notice.serviceUnavailable'), { exact: false })
        .waitFor()
      await context.close()
    },
  )

  it.runIf(isFullRun).each([403, 429])(
    'opens the welcome page after a %i, and keeps session and draft (ERR12, S84)',
    async status => {
      const { page, context, applicant } = await fixture.openSignedIn('fr', `refus.${status}@example.cm`)
      await applicant.startApplication()
      await applicant.named('travelDestination').fill('Libreville')
      await applicant.waitForSavedAnswers()
      await page.route(list, route => answerAsServer(route, { status, json: { statusCode: status } }))
      await page.goto('/procedure')
      await applicant.heading('welcome.heading')
      await page.unroute(list)
      await page.getByRole('link', { name: applicant.t('welcome.toProcedure') }).click()
      await page.getByRole('link', { name: applicant.t('procedure.open.form') }).click()
      await applicant.heading('tab.GeneralData')
      await expect.poll(() => applicant.named('travelDestination').inputValue()).toBe('Libreville')
      await context.close()
    },
  )
})

/** Runs in the page: which other visible texts are at the height of the notice, and where the heading is. */
function findEdges() {
  const notice = document.querySelector('[role="alert"] > div')?.getBoundingClientRect()
  const texts = document.querySelectorAll('header a, nav p, h1, main label, main input, main button')
  const others = [...texts].filter(
    element => !element.closest('[role="alert"]') && element.getBoundingClientRect().height > 0,
  )
  const atHeightOfNotice = others.filter(element => {
    const { top, bottom } = element.getBoundingClientRect()
    return notice && top < notice.bottom && bottom > notice.top
  })
  return {
    noticeHeight: notice?.height ?? 0,
    others: others.length,
    atHeightOfNotice: atHeightOfNotice.map(({ textContent, tagName }) => `${tagName} ${textContent}`),
    headingTop: document.querySelector('h1')?.getBoundingClientRect().top,
  }
}
