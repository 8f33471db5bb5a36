import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { createKillableBrowser, type KillableBrowser } from '#support/browsers/killable-browser.ts'
import { createRandom } from '#support/data/random.ts'
import { type Portal, startPortal } from '#support/servers/portal.ts'
import { isFullRun } from '#support/test-tier.ts'

/** A browser gets five codes an hour for one contact, and an applicant may have to sign in again after each kill. */
const killsPerApplicant = 4
const applicantCount = 50
const seed = Number(process.env['SEED'] ?? 2026)

const random = createRandom(seed)
/**
 * How often an applicant had to sign in after a kill: the session had not begun or had ended, or Chromium had not written
 * its cookie yet.
 */
let signIns = 0
let portal: Portal
let browser: KillableBrowser

beforeAll(async () => {
  portal = await startPortal({ NETWORK_CODES_PER_HOUR: '100000' })
})
afterAll(() => {
  process.stdout.write(`${signIns} sign-ins of ${applicantCount} applicants\n`)
  return portal.close()
})

describe.runIf(isFullRun)(
  `the browser is killed ${killsPerApplicant * applicantCount} times, and loses the cookies that it had not written (seed ${seed})`,
  () => {
    it.each(Array.from({ length: applicantCount }, (_, index) => index))(
      'applicant %i finds every answer that a page has reported as saved (D30, D64, OFF05)',
      async index => {
        browser = createKillableBrowser({ restoresCookies: false })
        try {
          await playApplicant(`67140${String(index).padStart(4, '0')}`)
        } finally {
          await browser.close()
        }
      },
    )
  },
)

/** Kills the browser within a second after the code is submitted, twice in the form, and within a second after Log out. */
async function playApplicant(phone: string) {
  let applicant = await openPortal()
  await askForCode(applicant, phone)
  await pressAndKill(applicant, 'button.continue', async () => enterCode(applicant, phone))

  applicant = await openPortal()
  await signIn(applicant, phone)
  await applicant.startApplication()
  const address = applicant.page.url().replace('GeneralData', 'PersonData')
  await applicant.page.goto(address)
  await applicant.heading('tab.PersonData')
  for (let round = 0; round < 2; round += 1) {
    const states = await answerUntilKilled(applicant)
    applicant = await openPortal()
    await openForm(applicant, { phone, address })
    expect(lostAnswers(states, await answersOf(applicant.page)), `kill ${round}`).toEqual([])
  }
  const left = await answersOf(applicant.page)

  await applicant.page.goto(new URL('/procedure', portal.origin).href)
  await applicant.heading('procedure.heading')
  await pressAndKill(applicant, 'button.logOut')
  applicant = await openPortal()
  await openForm(applicant, { phone, address })
  expect(await answersOf(applicant.page), 'after the log-out').toEqual(left)
}

async function openPortal(): Promise<Applicant> {
  const context = await browser.open()
  const page = context.pages()[0] ?? (await context.newPage())
  await page.goto(portal.origin)
  await page.getByRole('main').waitFor()
  return createApplicant(page, portal, 'fr')
}

async function askForCode({ page, named, button, heading }: Applicant, phone: string) {
  await page.goto(new URL('/mobile', portal.origin).href)
  await named('phoneNumber').fill(phone)
  await button('button.continue').click()
  await heading('password.heading')
}

async function enterCode({ page, t }: Applicant, phone: string) {
  const code = await portal.codeFor(`237${phone}`)
  await page.getByRole('main').getByLabel(t('password.code')).fill(code)
}

/** Signs in, unless a session has survived: the kill may have come before the session began or after its end. */
async function signIn(applicant: Applicant, phone: string) {
  const { page, heading, button, t } = applicant
  await page.goto(new URL('/procedure', portal.origin).href)
  const list = page.getByRole('heading', { name: t('procedure.heading') })
  await list
    .or(page.getByRole('heading', { name: t('welcome.heading') }))
    .first()
    .waitFor()
  if (await list.isVisible()) return
  signIns += 1
  await askForCode(applicant, phone)
  await enterCode(applicant, phone)
  await button('button.continue').click()
  await heading('procedure.heading')
}

async function openForm(applicant: Applicant, { phone, address }: { phone: string; address: string }) {
  await signIn(applicant, phone)
  await applicant.page.goto(address)
  await applicant.heading('tab.PersonData')
  await applicant.named('surname').waitFor()
}

/** Kills the browser at a random moment within the second after the press. */
async function pressAndKill(
  { page, t }: Applicant,
  label: 'button.continue' | 'button.logOut',
  before = async () => {},
) {
  await before()
  await page.getByRole('button', { name: t(label) }).click()
  await page.waitForTimeout(random.integerBelow(1_000))
  await browser.kill()
}

type Answers = Record<string, string>

/**
 * Makes eight random changes, each of a text, a list, a radio group or a date; then kills the browser. Returns the state that
 * was last reported as saved (at first: the state at the start) and those after it.
 */
async function answerUntilKilled({ page, named, t }: Applicant): Promise<Answers[]> {
  let states = [await answersOf(page)]
  const status = page
    .getByText(t('form.kept'))
    .or(page.getByText(t('form.onServer')))
    .first()
  const acts = [
    () => named('surname').fill(`Ngo ${random.integerBelow(1_000)}`),
    () => named('resAddressStreet').fill(`Rue ${random.integerBelow(1_000)}`),
    () => named('occupation').selectOption(random.pick(['06', '08', '33'])),
    () => named('placeOfBirth').selectOption(random.pick(['10998', '11037'])),
    () =>
      page
        .getByLabel(t(random.pick(['gender.11216', 'gender.11217'])))
        .first()
        .check(),
    () => fillDate(page, random.integerBelow(28) + 1),
  ]
  for (let turn = 0; turn < 8; turn += 1) {
    await random.pick(acts)()
    states.push(await answersOf(page))
    await page.waitForTimeout(random.integerBelow(500))
    // The status is about the newest change: the test has changed nothing after it.
    if (await status.isVisible()) states = states.slice(-1)
  }
  await browser.kill()
  return states
}

/** The fields whose answer is in none of these states. */
function lostAnswers(states: readonly Answers[], found: Answers): string[] {
  const names = Object.keys({ ...found, ...states[0] })
  return names
    .filter(name => !states.some(state => (state[name] ?? '') === (found[name] ?? '')))
    .map(name => `${name}: ${states.map(state => state[name]).join(' → ')}, found ${found[name]}`)
}

async function fillDate(page: Page, day: number) {
  await page.locator('[name="dayOfBirth"]').fill(String(day).padStart(2, '0'))
  await page.locator('[name="monthOfBirth"]').selectOption({ index: 4 })
  await page.locator('[name="yearOfBirth"]').fill('1990')
}

/** The fields of the open tab by name; of a radio group the chosen value. */
function answersOf(page: Page): Promise<Answers> {
  return page.evaluate(() => {
    const controls = document.querySelectorAll<HTMLInputElement | HTMLSelectElement>('main [name]')
    const answered = [...controls].filter(
      each =>
        !(each instanceof HTMLInputElement && ['radio', 'checkbox'].includes(each.type)) || each.checked,
    )
    return Object.fromEntries(answered.map(each => [each.name, each.value]))
  })
}
