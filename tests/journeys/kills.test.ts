import type { BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { isFullRun } from '#support/test-tier.ts'
import { createKillableBrowser, type KillableBrowser } from '#support/browsers/killable-browser.ts'
import type { OpenPortal } from '#support/servers/portal.ts'
import { quantile } from '#support/checks/quantile.ts'
import { joinSharedPortal } from '#support/servers/shared-portal.ts'
import { createRandom } from '#support/data/random.ts'

const kills = isFullRun ? 40 : 2
const seed = Number(process.env['SEED'] ?? 2026)
const phone = '671300001'
const fields = ['surname', 'givenName', 'resAddressStreet', 'otherOccupation'] as const
type Values = Record<string, string>

let portal: OpenPortal
let browser: KillableBrowser

beforeAll(() => {
  portal = joinSharedPortal()
  browser = createKillableBrowser()
})
afterAll(() => browser.close())

describe(`the form when the browser is killed ${kills} times during typing (seed ${seed})`, () => {
  it(
    'shows after a restart every value that the save status had reported as saved (D30, OFF05)',
    { timeout: 300_000 + kills * 60_000 },
    async () => {
      const random = createRandom(seed)
      const pick = (limit: number) => random.integerBelow(limit)
      /** Milliseconds from the last keystroke before each save to the report of this save. */
      const delaysMs: number[] = []
      const lostValues: string[] = []
      /** The answers that the save status last reported as saved. */
      let saved: Values = {}

      async function watch(context: BrowserContext) {
        const page = context.pages()[0] ?? (await context.newPage())
        await page.exposeBinding(
          'reportSaved',
          (_, report: { values: Values; delayMs: number | undefined }) => {
            saved = { ...saved, ...report.values }
            if (report.delayMs !== undefined) delaysMs.push(report.delayMs)
          },
        )
        return createApplicant(page, portal, 'fr')
      }

      let applicant = await watch(await browser.open())
      const address = await startForm(applicant)
      await applicant.page.evaluate(watchSavedTexts, savedTexts(applicant))

      for (let round = 0; round < kills; round += 1) {
        const name = fields[pick(fields.length)] ?? 'surname'
        await typeRandomKeys(applicant, { name, keys: 3 + pick(30), pick })
        await browser.kill()
        const before = { ...saved }

        applicant = await watch(await browser.open())
        await reopenForm(applicant, address)
        for (const field of fields) {
          const found = await applicant.named(field).inputValue()
          if (!found.startsWith(before[field] ?? ''))
            lostValues.push(
              `${round} ${field}: ${before[field]} → ${found}, ${await describeLoss(applicant, field)}`,
            )
        }
        await applicant.page.evaluate(watchSavedTexts, savedTexts(applicant))
      }

      const sorted = delaysMs.toSorted((one, other) => one - other)
      const p95Ms = quantile(sorted, 0.95)
      process.stdout.write(
        `Last keystroke to saved: p95 ${Math.round(p95Ms)} ms of ${delaysMs.length} saves (goal 500 ms), ${kills} kills, ${lostValues.length} lost values\n`,
      )
      expect(lostValues).toEqual([])
      expect(Object.values(saved).join('').length).toBeGreaterThan(kills)
    },
  )
})

async function startForm(applicant: Applicant): Promise<string> {
  const { page } = applicant
  await page.goto(portal.origin)
  await applicant.heading('welcome.heading')
  await applicant.signInByPhone(phone)
  await applicant.startApplication()
  await page.goto(page.url().replace('GeneralData', 'PersonData'))
  await applicant.heading('tab.PersonData')
  await applicant.named('occupation').selectOption('33')
  // Otherwise the first kill may come before this choice is saved, and the page would not show the other occupation.
  const [onDevice = '', onServer = ''] = savedTexts(applicant)
  await page.getByText(onDevice).or(page.getByText(onServer)).first().waitFor()
  return page.url()
}

async function reopenForm(applicant: Applicant, address: string) {
  await applicant.page.goto(address)
  await applicant.heading('tab.PersonData')
  await applicant.named('otherOccupation').waitFor()
}

async function typeRandomKeys(
  { page, named }: Applicant,
  { name, keys, pick }: { name: string; keys: number; pick: (limit: number) => number },
) {
  await named(name).focus()
  await page.keyboard.press('End')
  for (let key = 0; key < keys; key += 1) {
    await page.keyboard.press('abcdefghijklmnopqrstuvwxyz'[pick(26)] ?? 'a')
    // Mostly fast typing, with a pause now and then.
    await page.waitForTimeout(pick(6) === 0 ? 250 + pick(300) : 20 + pick(60))
  }
}

/**
 * Reads the answer again after 40 s. When the answer has come back, its row is there, and only the first opening of the
 * database has failed: the page opens the database again every 30 s.
 */
async function describeLoss({ page, named }: Applicant, field: string): Promise<string> {
  const shown = await page.getByRole('main').textContent()
  await page.waitForTimeout(40_000)
  return `40 s later ${await named(field).inputValue()}; the page said: ${shown?.slice(0, 300)}`
}

/** Returns the two texts by which the save status reports a save: on this device, and on the server. */
function savedTexts({ t }: Applicant): string[] {
  return [t('form.kept'), t('form.onServer')]
}

/** Runs in the page: reports the values of the text fields each time that the page begins to show one of `texts`. */
function watchSavedTexts(texts: string[]) {
  const test = window as unknown as { reportSaved: (report: object) => void } // bound by the test
  let typedAt: number | undefined
  let wasSaved = false
  addEventListener('input', () => (typedAt = performance.now()), true)
  new MutationObserver(() => {
    const text = document.querySelector('main')?.textContent ?? ''
    const isSaved = texts.some(each => text.includes(each))
    if (isSaved && !wasSaved) {
      const inputs = [
        ...document.querySelectorAll<HTMLInputElement>(
          'main input[type="text"][name], main input:not([type])[name]',
        ),
      ]
      const values = Object.fromEntries(inputs.map(input => [input.name, input.value]))
      test.reportSaved({ values, delayMs: typedAt === undefined ? undefined : performance.now() - typedAt })
      typedAt = undefined
    }
    wasSaved = isSaved
  }).observe(document.body, { childList: true, subtree: true, characterData: true })
}
