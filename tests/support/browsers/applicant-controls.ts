import type { Locator, Page } from 'playwright-core'
import type { FormValues } from '#contract/application.ts'
import type { Language } from '#contract/codes.ts'
import { monthKey } from '#support/data/month-key.ts'
import { buttonName, type Key, textsOf } from '#support/data/texts.ts'

/** Finds and fills the controls of the current screen by their visible texts, or by the names in the specification. */
export type ApplicantControls = ReturnType<typeof createControls>

export function createControls(page: Page, language: Language) {
  const t = textsOf(language)
  const main = page.getByRole('main')
  const button = (key: Key) => main.getByRole('button', { name: buttonName(t, key), exact: true })
  const field = (key: Key) => main.getByLabel(t(key), { exact: false })
  const named = (name: string): Locator => main.locator(`[name="${name}"]`)

  // Exact, because the heading of one page may be part of another: "Appointment" and "Confirm the appointment".
  async function heading(key: Key) {
    await page.getByRole('heading', { level: 1, name: t(key), exact: true }).waitFor()
  }

  async function chooseRadio(group: Key, answer: Key) {
    await main
      .getByRole('group', { name: t(group) })
      .getByLabel(t(answer), { exact: true })
      .check()
  }

  async function fillDate(group: Key, day: string, month: string, year: string) {
    const parts = main.getByRole('group', { name: t(group) }).first()
    if (day) await parts.getByLabel(t('date.day'), { exact: true }).fill(day)
    if (month)
      await parts.getByLabel(t('date.month'), { exact: true }).selectOption({ label: t(monthKey(month)) })
    await parts.getByLabel(t('date.year'), { exact: true }).fill(year)
  }

  async function fillWholeDate(group: Key, date: string) {
    const [year = '', month = '', day = ''] = date.split('-')
    await fillDate(group, day, month, year)
  }

  /** Fills a country, and then the lists or the city that the form shows for that country. */
  async function fillPlace(form: FormValues, names: (keyof FormValues)[]) {
    for (const name of names) {
      const value = String(form[name])
      if (value === '') continue
      const control = named(name)
      const tag = await control.evaluate(element => element.tagName)
      if (tag === 'SELECT') await control.selectOption(value)
      else await control.fill(value)
    }
  }

  return { page, t, main, button, field, named, heading, chooseRadio, fillDate, fillWholeDate, fillPlace }
}
