import type { BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { isFullRun } from '#support/test-tier.ts'
import { createKillableBrowser, type KillableBrowser } from '#support/browsers/killable-browser.ts'
import { type Portal, startPortal } from '#support/servers/portal.ts'
import { createRandom } from '#support/data/random.ts'

const kills = isFullRun ? 40 : 4
const seed = Number(process.env['SEED'] ?? 2026)
const phone = '671300001'
const fields = ['surname', 'givenName', 'resAddressStreet', 'otherOccupation'] as const
type Values = Record<string, string>

let portal: Portal
let browser: KillableBrowser

beforeAll(async () => {
  portal = await startPortal()
  browser = createKillableBrowser()
})
afterAll(async () => {
  await browser.close()
  await portal.close()
})

describe(`the browser killed at ${kills} keystrokes (seed ${seed})`, () => {
  it(
    'has every value after a restart that the page reported as saved (D30, OFF05)',
    { timeout: 60_000 + kills * 60_000 },
    async () => {
      const chance = createRandom(seed)
      const pick = (most: number) => chance.integerBelow(most)
      const delays: number[] = []
      const misses: string[] = []
      /** The answers that the save status last reported as saved. */
      let kept: Values = {}

      async function watch(context: BrowserContext) {
        const page = context.pages()[0] ?? (await context.newPage())
        await page.exposeBinding('calledKept', (_, told: { values: Values; delay: number | undefined }) => {
          kept = { ...kept, ...told.values }
          if (told.delay !== undefined) delays.push(told.delay)
        })
        return createApplicant(page, portal, 'fr')
      }

      let applicant = await watch(await browser.open())
      const address = await startForm(applicant)
      await applicant.page.evaluate(watchSavedTexts, savedTexts(applicant))

      for (let round = 0; round < kills; round += 1) {
        const name = fields[pick(fields.length)] ?? 'surname'
        await typeSome(applicant, { name, keys: 3 + pick(30), pick })
        await browser.kill()
        const before = { ...kept }

        applicant = await watch(await browser.open())
        await openAgain(applicant, address)
        for (const field of fields) {
          const found = await applicant.named(field).inputValue()
          if (!found.startsWith(before[field] ?? ''))
            misses.push(`${round} ${field}: ${before[field]} → ${found}`)
        }
        await applicant.page.evaluate(watchSavedTexts, savedTexts(applicant))
      }

      const p95 = delays.toSorted((one, other) => one - other)[Math.floor(delays.length * 0.95)] ?? NaN
      process.stdout.write(
        `Typing to durable: p95 ${Math.round(p95)} ms of ${delays.length} pauses (goal 500 ms), ${kills} kills, ${misses.length} misses\n`,
      )
      expect(misses).toEqual([])
      expect(Object.values(kept).join('').length).toBeGreaterThan(kills)
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
  // The browser writes the session flag to disk only after some seconds.
  await page.waitForTimeout(6_000)
  return page.url()
}

async function openAgain(applicant: Applicant, address: string) {
  await applicant.page.goto(address)
  await applicant.heading('tab.PersonData')
  await applicant.named('otherOccupation').waitFor()
}

async function typeSome(
  { page, named }: Applicant,
  { name, keys, pick }: { name: string; keys: number; pick: (most: number) => number },
) {
  await named(name).focus()
  await page.keyboard.press('End')
  for (let key = 0; key < keys; key += 1) {
    await page.keyboard.press('abcdefghijklmnopqrstuvwxyz'[pick(26)] ?? 'a')
    // Mostly fast typing, with a pause now and then.
    await page.waitForTimeout(pick(6) === 0 ? 250 + pick(300) : 20 + pick(60))
  }
}

/** The save status reports a save with each of these texts: on this device, sending, or on the server. */
function savedTexts({ t }: Applicant): string[] {
  return [t('form.kept'), t('form.onServer')]
}

/** Runs in the page: reports the values of the fields whenever the save status changes to "kept". */
function watchSavedTexts(words: string[]) {
  const told = window as unknown as { calledKept: (kept: object) => void } // bound by the test
  let typedAt: number | undefined
  let said = false
  addEventListener('input', () => (typedAt = performance.now()), true)
  new MutationObserver(() => {
    const text = document.querySelector('main')?.textContent ?? ''
    const says = words.some(each => text.includes(each))
    if (says && !said) {
      const inputs = [
        ...document.querySelectorAll<HTMLInputElement>(
          'main input[type="text"][name], main input:not([type])[name]',
        ),
      ]
      const values = Object.fromEntries(inputs.map(input => [input.name, input.value]))
      told.calledKept({ values, delay: typedAt === undefined ? undefined : performance.now() - typedAt })
      typedAt = undefined
    }
    said = says
  }).observe(document.body, { childList: true, subtree: true, characterData: true })
}
