import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiRoot } from '#contract/codes.ts'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { createKillableBrowser, type KillableBrowser } from '#support/browsers/killable-browser.ts'
import { createRandom } from '#support/data/random.ts'
import { type Portal, startPortal, until } from '#support/servers/portal.ts'
import { createReleaseCheckout, type ReleaseCheckout } from '#support/servers/release-checkout.ts'
import { isFullRun } from '#support/test-tier.ts'

const mergeKills = 20
const releases = ['B', 'C', 'D']
const killsPerRelease = 8
const seed = Number(process.env['SEED'] ?? 2026)
const random = createRandom(seed)

let checkout: ReleaseCheckout
let portal: Portal
let browser: KillableBrowser

describe.runIf(isFullRun)(`a browser killed while something else changes (seed ${seed})`, () => {
  beforeAll(async () => {
    checkout = createReleaseCheckout()
    portal = await startPortal({ CAPTCHA: 'off' }, { folder: checkout.folder })
  })
  afterAll(async () => {
    await portal?.close()
    checkout?.remove()
  })

  it(`loses no answer of either device in ${mergeKills} kills around a merge (D32, OFF05)`, async () => {
    browser = createKillableBrowser()
    try {
      await killDuringMerges('671400101')
    } finally {
      await browser.close()
    }
  })

  it(`loses no answer in ${releases.length * killsPerRelease} kills while a release becomes active (D36, OFF05)`, async () => {
    browser = createKillableBrowser()
    try {
      await killDuringReleases('671400102')
    } finally {
      await browser.close()
    }
  })
})

/**
 * Another device changes the given name, this browser the surname. The browser is killed at a random moment of the next 3 s,
 * in which it sends and merges.
 */
async function killDuringMerges(phone: string) {
  let applicant = await openPortal()
  const address = await startForm(applicant, phone)
  const device = await openSecondDevice(phone, address)
  for (let round = 0; round < mergeKills; round += 1) {
    const typed = { surname: `Mbarga ${round}`, givenName: `Adèle ${round}` }
    await device.change({ givenName: typed.givenName })
    await typeAndSave(applicant, typed.surname)
    await applicant.page.waitForTimeout(random.integerBelow(3_000))
    await browser.kill()

    applicant = await openPortal()
    await openForm(applicant, address)
    expect(await applicant.named('surname').inputValue(), `kill ${round}`).toBe(typed.surname)
    await expect.poll(() => device.read(), { message: `kill ${round}` }).toMatchObject(typed)
    await expect.poll(() => applicant.named('givenName').inputValue()).toBe(typed.givenName)
  }
}

/** The browser is killed while the worker of a release is installed, waits or becomes active, or the page reloads. */
async function killDuringReleases(phone: string) {
  let applicant = await openPortal()
  const address = await startForm(applicant, phone)
  /** For each kill: the release of the page, and whether the applicant had asked for the next release. */
  const kills: string[] = []
  for (const release of releases) {
    await portal.stop()
    checkout.buildRelease(release)
    await portal.start()
    for (let round = 0; round < killsPerRelease; round += 1) {
      const surname = `Mbarga ${release} ${round}`
      await typeAndSave(applicant, surname)
      const isAsked = await startUpdate(applicant)
      await applicant.page.waitForTimeout(random.integerBelow(1_500))
      kills.push(`${await releaseOf(applicant)}${isAsked ? ', update asked for' : ''}`)
      await browser.kill()

      applicant = await openPortal()
      await openForm(applicant, address)
      expect(await applicant.named('surname').inputValue(), `${release} ${round}`).toBe(surname)
    }
    await until(`release ${release}`, async () => {
      await openForm(applicant, address)
      await startUpdate(applicant)
      // The page reloads when the worker becomes active.
      await applicant.page.waitForTimeout(1_000)
      return (await releaseOf(applicant)) === release ? true : undefined
    })
    await openForm(applicant, address)
  }
  process.stdout.write(`Killed in release: ${kills.join('; ')}\n`)
}

async function openPortal(): Promise<Applicant> {
  const context = await browser.open()
  const page = context.pages()[0] ?? (await context.newPage())
  await page.goto(portal.origin)
  await page.getByRole('main').waitFor()
  return createApplicant(page, portal, 'fr')
}

async function startForm(applicant: Applicant, phone: string): Promise<string> {
  await applicant.heading('welcome.heading')
  await applicant.signInByPhone(phone)
  await applicant.startApplication()
  const address = applicant.page.url().replace('GeneralData', 'PersonData')
  await openForm(applicant, address)
  await applicant.page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  return address
}

async function openForm({ page, heading, named }: Applicant, address: string) {
  await page.goto(address)
  await heading('tab.PersonData')
  await named('surname').waitFor()
}

async function typeAndSave({ page, named, t }: Applicant, surname: string) {
  await named('surname').fill(surname)
  await page
    .getByText(t('form.kept'))
    .or(page.getByText(t('form.onServer')))
    .first()
    .waitFor()
}

/** Looks for a new worker. About half of the calls press "Update now" if one waits. Resolves to whether it pressed. */
async function startUpdate({ page, t }: Applicant): Promise<boolean> {
  const updateCheck = page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration()
    await registration?.update()
  })
  // Without the wait for this call, the kill may come while the browser still looks for the new worker or installs it.
  // The call fails when the page reloads.
  const ended = updateCheck.catch(() => undefined)
  if (random.integerBelow(2) === 0) return false
  await ended
  const button = page.getByRole('button', { name: t('update.now') })
  if (!(await button.isVisible())) return false
  await button.click()
  return true
}

/** The first build has no name. Undefined during a navigation. */
function releaseOf({ page }: Applicant): Promise<string | undefined> {
  return page.evaluate(() => document.documentElement.dataset['release'] ?? 'A').catch(() => undefined)
}

/** The same applicant on another device, by calls. */
async function openSecondDevice(phone: string, address: string) {
  const contact = { msisdn: `237${phone}`, email: '' }
  let cookie = ''
  const post = async (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${portal.origin}${apiRoot}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie, ...headers },
      body: JSON.stringify(body),
    })
  // The code works only with the cookie of the device that requested it.
  const requested = await post('/auth', contact)
  cookie = requested.headers
    .getSetCookie()
    .map(line => line.split(';')[0])
    .join('; ')
  const signedIn = await post('/login', { ...contact, otp: await portal.codeFor(contact.msisdn) })
  const { data } = (await signedIn.json()) as { data: { token: string } }
  const authorization = { authorization: `Bearer ${data.token}` }
  const path = `/applications/${new URL(address).pathname.split('/')[2]}/data`

  async function read(): Promise<Record<string, unknown>> {
    const answer = await fetch(`${portal.origin}${apiRoot}${path}`, { headers: authorization })
    return ((await answer.json()) as { data: Record<string, unknown> }).data
  }

  return {
    read,
    /** Repeats the write until it is based on the newest version. */
    change: (answers: Record<string, string>) =>
      until('the write of the second device', async () => {
        const form = await read()
        const body = { ...form, ...answers, draft: true, baseVersion: form['version'] }
        const saved = await post(path, body, { ...authorization, 'idempotency-key': randomUUID() })
        return saved.ok ? true : undefined
      }),
  }
}
