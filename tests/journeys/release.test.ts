import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFullRun } from '#support/test-tier.ts'
import type { FormValues, Tab } from '#contract/application.ts'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { launchChromium } from '#support/browsers/chromium.ts'
import { type Portal, startPortal, until } from '#support/servers/portal.ts'
import { type ReleaseCheckout, createReleaseCheckout } from '#support/servers/release-checkout.ts'
import { openWatchedPage } from '#support/browsers/watched-page.ts'

let checkout: ReleaseCheckout
let portal: Portal
let browser: Browser
let oldFiles: string[]

type OpenedForm = Awaited<ReturnType<typeof openFormTab>>
let people: Partial<Record<Tab, OpenedForm>>
let withoutWorker: OpenedForm

/** Applicants fill in the form in release A when release B is deployed; one browser has no service worker. */
beforeAll(async () => {
  checkout = createReleaseCheckout()
  oldFiles = filesOfRelease()
  portal = await startPortal({}, { folder: checkout.folder })
  browser = await launchChromium()
  people = {
    GeneralData: await openFormTab('GeneralData', '671400001'),
    PersonData: await openFormTab('PersonData', '671400002'),
    ParentData: await openFormTab('ParentData', '671400003'),
    NicData: await openFormTab('NicData', '671400004'),
  }
  withoutWorker = await openFormTab('NicData', '671400005', 'block')
  await portal.stop()
  checkout.buildRelease('B')
  await portal.start()
})
afterAll(async () => {
  await browser?.close()
  await portal?.close()
  checkout?.remove()
})

describe.runIf(isFullRun)('a release that is deployed while applicants fill in the form (D36, S99)', () => {
  it.each<Tab>(['GeneralData', 'ParentData'])(
    'waits while %s is open: its typed answer stays, and the old release can finish',
    async tab => {
      const { applicant, reloads, page } = openedAt(tab)
      await learnOfUpdate(page)
      await page.getByText(applicant.t('update.text')).waitFor()
      await expectTyped(applicant, tab)
      await fillFrom(applicant, tab)
      await submit(applicant)
      expect(await releaseOf(page)).toBe('A')
      expect(reloads()).toBe(0)
    },
  )

  it.each<Tab>(['PersonData', 'NicData'])(
    'becomes active on request while %s is open: one reload, and its typed answer stays',
    async tab => {
      const { applicant, reloads, page } = openedAt(tab)
      await learnOfUpdate(page)
      await page.getByRole('button', { name: applicant.t('update.now') }).click()
      await until('release B', async () => ((await releaseOf(page)) === 'B' ? true : undefined))
      await applicant.heading(`tab.${tab}`)
      expect(reloads()).toBe(1)
      await expectTyped(applicant, tab)
      await fillFrom(applicant, tab)
      await submit(applicant)
      expect(reloads()).toBe(1)
    },
  )

  it('keeps the files of the previous release on the server, and answers 404 for unknown files', async () => {
    expect(oldFiles.length).toBeGreaterThan(10)
    for (const name of oldFiles)
      expect((await fetch(`${portal.origin}/assets/${name}`)).status, name).toBe(200)
    expect((await fetch(`${portal.origin}/assets/index-00000000.js`)).status).toBe(404)
  })

  // Deletes the old files, so it comes after the test that finds them.
  it('reloads the page once and keeps the answers when there is no service worker and no old file', async () => {
    const { applicant, reloads, page } = withoutWorker
    for (const name of oldFiles.filter(each => !filesOfRelease().includes(each)))
      for (const ending of ['', '.br', '.gz'])
        rmSync(join(checkout.folder, 'dist/client/assets', `${name}${ending}`), { force: true })
    await fillFrom(applicant, 'NicData')
    await submit(applicant)
    expect(await releaseOf(page)).toBe('B')
    expect(reloads()).toBe(1)
    await page.getByText(firstPassport.motherSurname).first().waitFor()
  })

  it('is active at one of the next cold starts', async () => {
    const { context, page } = openedAt('GeneralData')
    await page.close()
    await until('release B', async () => {
      const cold = await context.newPage()
      await cold.goto('/')
      const found = await releaseOf(cold)
      await cold.close()
      if (found === 'B') return true
      // The waiting service worker needs a moment to become active before the next start.
      await new Promise(resolve => setTimeout(resolve, 2_000))
      return undefined
    })
  })
})

function openedAt(tab: Tab): OpenedForm {
  const opened = people[tab]
  if (!opened) throw new Error(`No applicant is at ${tab}`)
  return opened
}

/** An applicant who has filled in the form up to this tab and has typed into it. */
async function openFormTab(tab: Tab, phone: string, serviceWorkers: 'allow' | 'block' = 'allow') {
  const { page, context } = await openWatchedPage(browser, { origin: portal.origin, serviceWorkers })
  const applicant = createApplicant(page, portal, 'fr')
  await applicant.chooseLanguage()
  await applicant.signInByPhone(phone)
  await applicant.startApplication()
  if (tab !== 'GeneralData') {
    await applicant.fillGeneral(firstPassport)
    await applicant.continueTo('tab.PersonData')
  }
  if (tab === 'ParentData' || tab === 'NicData') {
    await applicant.fillPerson(firstPassport)
    await applicant.continueTo('tab.ParentData')
  }
  if (tab === 'NicData') {
    await applicant.fillParents(firstPassport)
    await applicant.continueTo('tab.NicData')
  }
  if (tab === 'NicData') await applicant.fillDocuments(firstPassport)
  else await applicant.named(typedOn[tab]).fill(firstPassport[typedOn[tab]])
  if (serviceWorkers === 'allow')
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  let loads = 0
  page.on('load', () => (loads += 1))
  return { page, context, applicant, reloads: () => loads }
}

const typedOn = {
  GeneralData: 'travelDestination',
  PersonData: 'surname',
  ParentData: 'motherSurname',
  NicData: 'nicNumber',
} as const satisfies Record<Tab, keyof FormValues>

async function expectTyped(applicant: Applicant, tab: Tab) {
  expect(await applicant.named(typedOn[tab]).inputValue()).toBe(firstPassport[typedOn[tab]])
}

async function fillFrom(applicant: Applicant, tab: Tab) {
  if (tab === 'GeneralData') {
    await applicant.fillGeneral(firstPassport)
    await applicant.continueTo('tab.PersonData')
  }
  if (tab === 'GeneralData' || tab === 'PersonData') {
    await applicant.fillPerson(firstPassport)
    await applicant.continueTo('tab.ParentData')
  }
  if (tab !== 'NicData') {
    await applicant.fillParents(firstPassport)
    await applicant.continueTo('tab.NicData')
  }
  await applicant.fillDocuments(firstPassport)
}

async function submit(applicant: Applicant) {
  await applicant.button('button.submit').click()
  await applicant.heading('confirm.heading')
}

/** Checks for a new service worker, as the browser does on a navigation and once a day. */
async function learnOfUpdate(page: Page) {
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration()
    await registration?.update()
  })
}

/** The files of the newest release. */
function filesOfRelease(): string[] {
  const [newest = []] = JSON.parse(
    readFileSync(join(checkout.folder, 'dist/releases.json'), 'utf8'),
  ) as string[][]
  return newest
}

/** Undefined during a navigation. Release A is the build without a name. */
function releaseOf(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.documentElement.dataset['release'] ?? 'A').catch(() => undefined)
}
