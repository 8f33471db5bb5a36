import { EventEmitter, once } from 'node:events'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Language } from '#contract/codes.ts'
import { launchChromium } from '#support/browsers/chromium.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { textsOf } from '#support/data/texts.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = joinBrowserFixture()

/** Opens a page whose start script is delayed until the test releases it. */
async function openBeforeScript(language: Language, path: string) {
  const { page, context, faults } = await fixture.open({ serviceWorkers: 'block' })
  await context.addCookies([{ name: 'lg', value: language, url: fixture.portal().origin }])
  await page.addInitScript(chosen => localStorage.setItem('lg', chosen), language)
  await page.addInitScript(markClickListener)
  const gate = new EventEmitter()
  const held = once(gate, 'open')
  await page.route(/\/assets\/start-/, async route => {
    await held
    await route.continue()
  })
  await page.goto(path, { waitUntil: 'commit' })
  // The small script that records presses has a request of its own, which takes longer on a busy machine.
  await page.waitForFunction(() => performance.getEntriesByName('records-presses').length > 0)
  return { page, context, faults, releaseScript: () => gate.emit('open') }
}

/** Runs in the page. */
function markClickListener() {
  const add = Object.getOwnPropertyDescriptor(EventTarget.prototype, 'addEventListener')?.value
  document.addEventListener = (...args: unknown[]) => {
    if (args[0] === 'click') performance.mark('records-presses')
    Reflect.apply(add, document, args)
  }
}

async function waitForHydration(page: Page) {
  await page.waitForFunction(() => performance.getEntriesByName('portal-alive').length > 0)
}

describe('a sign-in page while its files load', () => {
  it('accepts text and a checked box, and keeps them with focus and caret on hydration (NAV02, SIG01, D31)', async () => {
    const { page, context, faults, releaseScript } = await openBeforeScript('fr', '/mobile')
    const number = page.locator('[name=phoneNumber]')
    await number.pressSequentially('67123')
    await page.locator('[name=sharedDevice]').check()
    await number.focus()
    const prerendered = await number.elementHandle()
    releaseScript()
    await waitForHydration(page)
    await page.keyboard.type('4567')
    expect(await number.inputValue()).toBe('671234567')
    expect(await prerendered?.evaluate(node => node.isConnected)).toBe(true)
    expect(await page.locator('[name=sharedDevice]').isChecked()).toBe(true)
    await expect.poll(() => page.evaluate(() => localStorage.getItem('device-use'))).toBe('shared')
    await page.getByRole('button', { name: textsOf('fr')('button.continue') }).click()
    await page.getByRole('heading', { name: textsOf('fr')('password.heading') }).waitFor()
    expect(faults.console).toEqual([])
    await context.close()
  })

  it.each(['Enter', 'Continue'])(
    'keeps a press of %s, and handles it after hydration (SIG01, D88, D114)',
    async press => {
      const { page, context, faults, releaseScript } = await openBeforeScript('fr', '/mobile')
      await page.locator('[name=phoneNumber]').fill(press === 'Enter' ? '671234581' : '671234582')
      const button = page.getByRole('button', { name: textsOf('fr')('button.continue') })
      if (press === 'Enter') await page.locator('[name=phoneNumber]').press('Enter')
      else await button.click({ force: true })
      expect(await button.getAttribute('aria-disabled')).toBe('true')
      expect(new URL(page.url()).pathname).toBe('/mobile')
      releaseScript()
      await page.getByRole('heading', { name: textsOf('fr')('password.heading') }).waitFor()
      expect(faults.console).toEqual([])
      await context.close()
    },
  )

  it('keeps the press when the page must be rendered again (SIG04, D88, D114)', async () => {
    const { page, context, releaseScript } = await openBeforeScript('fr', '/mobile')
    await page.locator('[name=dialCode]').selectOption('33')
    await page.locator('[name=phoneNumber]').fill('12')
    await page.locator('[name=phoneNumber]').press('Enter')
    releaseScript()
    await page.getByText(textsOf('fr')('issue.not-valid')).first().waitFor()
    await context.close()
  })

  it('continues after the network failed during the load of the response reader (S29, D34)', async () => {
    const { page, context } = await fixture.open({ serviceWorkers: 'block' })
    let brokenLoads = 2
    await page.route(/\/assets\/wire-/, route => ((brokenLoads -= 1) >= 0 ? route.abort() : route.continue()))
    await page.goto('/mobile')
    await waitForHydration(page)
    await page.locator('[name=phoneNumber]').fill('671234599')
    const continueButton = page.getByRole('button', { name: textsOf('fr')('button.continue') })
    const next = page.getByRole('heading', { name: textsOf('fr')('password.heading') })
    await expect
      .poll(async () => {
        // One call finds and presses the button: the next page, which has such a button too, may open at any moment.
        await continueButton.evaluateAll(buttons => {
          if (location.pathname !== '/mobile') return
          for (const button of buttons) if (button instanceof HTMLElement) button.click()
        })
        return next.isVisible()
      })
      .toBe(true)
    expect(brokenLoads).toBeLessThan(0)
    await context.close()
  })

  it('begins in French, opens a link that was pressed before the router has loaded, and goes back (NAV01, NAV19, D114)', async () => {
    const { page, context } = await fixture.open({ serviceWorkers: 'block' })
    const gate = new EventEmitter()
    const held = once(gate, 'open')
    await page.route(/\/assets\/router-/, async route => {
      await held
      await route.continue()
    })
    await page.goto('/')
    await waitForHydration(page)
    await page.getByRole('link', { name: textsOf('fr')('welcome.phone') }).click()
    expect(new URL(page.url()).pathname).toBe('/')
    gate.emit('open')
    await page.getByRole('heading', { level: 1, name: textsOf('fr')('mobile.heading') }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/mobile')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('heading')
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: textsOf('fr')('welcome.heading') }).waitFor()
    await page.reload()
    await waitForHydration(page)
    await page.goForward()
    await page.getByRole('heading', { level: 1, name: textsOf('fr')('mobile.heading') }).waitFor()
    await context.close()
  })

  it.runIf(isFullRun)(
    'loads no router on /mobile until the number can be sent; then a page that needs it opens offline (D35, D114)',
    async () => {
      const { page, context } = await fixture.open()
      const routerFiles: string[] = []
      context.on(
        'request',
        request => /\/assets\/router-/.test(request.url()) && routerFiles.push(request.url()),
      )
      const cachedNames = () =>
        page.evaluate(async () => {
          const opened = await Promise.all((await caches.keys()).map(name => caches.open(name)))
          const requests = await Promise.all(opened.map(cache => cache.keys()))
          return requests.flat().map(({ url }) => url.replace(/.*\//, ''))
        })
      await page.goto('/mobile')
      await waitForHydration(page)
      await page.evaluate(() => navigator.serviceWorker.ready)
      await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
      const number = page.locator('[name=phoneNumber]')
      await number.pressSequentially('6710')
      expect((await cachedNames()).filter(name => name.startsWith('router-'))).toEqual([])
      expect(routerFiles).toEqual([])
      await number.press('0')
      await expect.poll(async () => (await cachedNames()).some(name => name.startsWith('router-'))).toBe(true)
      await context.setOffline(true)
      await page.goto('/legal')
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(await page.title()).not.toBe('')
      await context.close()
    },
  )

  it.runIf(isFullRun)(
    'says that there is no connection when the router does not arrive (S29, D114)',
    async () => {
      const { page, context } = await fixture.open({ serviceWorkers: 'block' })
      let isBroken = true
      await page.route(/\/assets\/router-/, route => (isBroken ? route.abort() : route.continue()))
      await page.goto('/')
      await waitForHydration(page)
      const link = page.getByRole('link', { name: textsOf('fr')('welcome.phone') })
      await link.click()
      await page.getByText(textsOf('fr')('notice.offline')).first().waitFor()
      isBroken = false
      const next = page.getByRole('heading', { level: 1, name: textsOf('fr')('mobile.heading') })
      await expect
        .poll(async () => {
          // One call finds and presses the link: the next page may open at any moment, and has no such link.
          await link.evaluateAll(links => {
            for (const each of links) if (each instanceof HTMLElement) each.click()
          })
          return next.isVisible()
        })
        .toBe(true)
      await context.close()
    },
  )

  it('keeps a choice and the caret when the page must be rendered again (SIG04)', async () => {
    const { page, context, releaseScript } = await openBeforeScript('en', '/mobile')
    await page.locator('[name=dialCode]').selectOption('33')
    const number = page.locator('[name=phoneNumber]')
    await number.pressSequentially('612')
    await number.press('ArrowLeft')
    releaseScript()
    await waitForHydration(page)
    await page.keyboard.type('4')
    expect(await number.inputValue()).toBe('6142')
    expect(await page.locator('[name=dialCode]').inputValue()).toBe('33')
    // The prerendered page has the codes that most applicants need; the rest comes with the script.
    await expect.poll(() => page.locator('[name=dialCode] option:enabled').count()).toBeGreaterThan(200)
    expect(await page.locator('[name=dialCode] option:disabled').count()).toBe(0)
    await context.close()
  })

  it.each(isFullRun ? ['/', '/mobile'] : ['/mobile'])(
    'remembers a press on a language before the script has run, at %s (NAV18)',
    async path => {
      const { page, context, releaseScript } = await openBeforeScript('fr', path)
      const number = page.locator('[name=phoneNumber]')
      if (path === '/mobile') await number.fill('612')
      await page.getByRole('button', { name: 'EN', exact: true }).click()
      releaseScript()
      await page
        .getByRole('heading', {
          level: 1,
          name: textsOf('en')(path === '/' ? 'welcome.heading' : 'mobile.heading'),
        })
        .waitFor()
      if (path === '/mobile') expect(await number.inputValue()).toBe('612')
      await context.close()
    },
  )

  it.each(isFullRun ? ['/', '/mobile', '/mail', '/password'] : ['/', '/mobile'])(
    'keeps the element of its heading on hydration, without an error, at %s (NAV01)',
    async path => {
      const { page, context, faults, releaseScript } = await openBeforeScript('en', path)
      const heading = await page.locator('h1').elementHandle()
      expect(await page.title()).toContain('Electronic passport')
      releaseScript()
      await waitForHydration(page)
      expect(await heading?.evaluate(node => node.isConnected)).toBe(true)
      expect(faults.console).toEqual([])
      await context.close()
    },
  )

  it('says in both languages that it needs JavaScript when scripts are off', async () => {
    const browser = await launchChromium()
    for (const [language, said] of [
      ['fr', 'Ce service a besoin de JavaScript'],
      ['en', 'This service needs JavaScript'],
    ] as const) {
      const context = await browser.newContext({ javaScriptEnabled: false, baseURL: fixture.portal().origin })
      const page = await context.newPage()
      await page.goto(`/mobile?lg=${language}`)
      expect(await page.locator('noscript').innerText()).toContain(said)
      expect(await page.locator('noscript').innerText()).toContain(
        language === 'fr' ? 'This service needs JavaScript' : 'Ce service a besoin de JavaScript',
      )
      expect((await page.locator('h1').boundingBox())?.y).toBeGreaterThan(
        (await page.locator('noscript').boundingBox())?.y ?? Number.NaN,
      )
      expect(await page.getAttribute('html', 'lang')).toBe(language)
      expect(await page.locator('form').isVisible()).toBe(false)
      await context.close()
    }
    await browser.close()
  })
})
