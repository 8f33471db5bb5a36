import { describe, expect, it } from 'vitest'
import { sharedChromium } from '#support/browsers/chromium.ts'
import { startFaultyBrowserFixture } from '#support/browsers/faulty-browser-fixture.ts'
import { openWatchedPage } from '#support/browsers/watched-page.ts'
import { until } from '#support/servers/portal.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = startFaultyBrowserFixture()
const lostFiles = [
  { lost: 'the script of the installation', path: /^\/assets\/workbox-window/ },
  { lost: 'the script of the service worker', path: /^\/sw\.js/ },
  { lost: 'the code of the service worker (D132)', path: /^\/assets\/service-worker-/ },
  { lost: 'a file that the service worker caches', path: /^\/assets\/pages-/ },
]

describe('a service worker whose first installation fails (D35)', () => {
  it.runIf(isFullRun).each(lostFiles)(
    'is installed at another try without a new page when the connection lost $lost',
    async ({ path }) => {
      const proxy = fixture.proxy()
      const { page, context } = await openWatchedPage(await sharedChromium(), { origin: proxy.origin })
      proxy.arm('reset-before', request => path.test(request.path))
      await page.clock.install()
      await page.goto('/')
      const isControlled = () => page.evaluate(() => navigator.serviceWorker.controller !== null)
      await until('the service worker to control the page', async () => {
        await page.clock.runFor(1_000)
        return proxy.hasStruck() && (await isControlled()) ? true : undefined
      })
      await context.close()
    },
  )
})

it('does not check later whether the service worker is installed when its first installation succeeds (D35)', async () => {
  const { page, context } = await openWatchedPage(await sharedChromium(), { origin: fixture.proxy().origin })
  await page.clock.install()
  // The portal calls `getRegistration` only for this check.
  await page.addInitScript(() => {
    // oxlint-disable-next-line typescript/unbound-method -- called with its receiver below
    const { getRegistration } = ServiceWorkerContainer.prototype
    ServiceWorkerContainer.prototype.getRegistration = function recordCall(...values) {
      sessionStorage.setItem('was-called', 'yes')
      return getRegistration.apply(this, values)
    }
  })
  await page.goto('/')
  await until('the service worker to control the page', async () => {
    await page.clock.runFor(100)
    return (await page.evaluate(() => navigator.serviceWorker.controller !== null)) || undefined
  })
  await page.clock.runFor(5 * 60_000)
  expect(await page.evaluate(() => sessionStorage.getItem('was-called'))).toBeNull()
  await context.close()
})
