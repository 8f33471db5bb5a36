import type { Locator, Page } from 'playwright-core'
import type { FieldName, Tab } from '#contract/application.ts'

/** A question of the form as it stands on the screen: a birth date's three parts are one. */
export type Question = Exclude<FieldName, BirthPart | 'dialCode'> | 'dateOfBirth' | 'reprDateOfBirth'
type BirthPart = `${'d' | 'reprD'}ayOfBirth` | `${'m' | 'reprM'}onthOfBirth` | `${'y' | 'reprY'}earOfBirth`

/** What is typed or picked, by the names of the fields; a date of a card or passport is year-month-day. */
export type Answers = Partial<Record<FieldName, string | boolean>>

const wholeDates: readonly string[] = [
  'reprNicDateOfIssuance',
  'reprNicDateOfExpiry',
  'nicDateOfIssuance',
  'nicDateOfExpiry',
  'eppDateOfIssuance',
] satisfies FieldName[]

/** The form as a page: where its questions, its messages and its steps are. */
export function createFormPage(page: Page) {
  const main = page.getByRole('main')
  const control = (name: string): Locator => main.locator(`[name="${name}"]`)
  const step = (tab: Tab) => main.locator(`nav a[href$="/${tab}"]`)
  const summary = main.locator('[role="alert"]').filter({ has: page.locator('a[href^="#"]') })

  async function open(tab: Tab) {
    await step(tab).click()
    await page.waitForURL(`**/${tab}`)
  }

  /** Answers in the order given: what an answer brings onto the screen can be answered next. */
  async function answer(answers: Answers) {
    for (const [name, value] of Object.entries(answers)) {
      if (wholeDates.includes(name)) await answerDate(name, String(value))
      else await answerOne(control(name), value)
    }
  }

  async function answerDate(name: string, date: string) {
    const [year = '', month = '', day = ''] = date.split('-')
    await control(`${name}-day`).fill(day)
    await control(`${name}-month`).selectOption(month)
    await control(`${name}-year`).fill(year)
  }

  async function answerOne(field: Locator, value: string | boolean) {
    if (typeof value === 'boolean') return field.setChecked(value)
    const kind = await field
      .first()
      .evaluate(element => (element instanceof HTMLInputElement ? element.type : 'select'))
    if (kind === 'radio') return field.and(page.locator(`[value="${value}"]`)).check()
    await (kind === 'select' ? field.selectOption(value) : field.fill(value))
  }

  /** What stands in these fields now, in the form of answers. */
  async function standing(names: readonly string[]): Promise<Answers> {
    const read = names.map(async name => [
      name,
      await (wholeDates.includes(name) ? readDate(name) : readOne(name)),
    ])
    return Object.fromEntries(await Promise.all(read))
  }

  async function readDate(name: string): Promise<string> {
    const parts = ['year', 'month', 'day'].map(part => control(`${name}-${part}`).inputValue())
    return (await Promise.all(parts)).join('-')
  }

  function readOne(name: string): Promise<string | boolean> {
    return control(name).evaluateAll(elements => {
      const fields = elements.filter(
        each => each instanceof HTMLInputElement || each instanceof HTMLSelectElement,
      )
      if (fields[0]?.type === 'checkbox') return fields[0].matches(':checked')
      const answered = fields[0]?.type === 'radio' ? fields.find(each => each.matches(':checked')) : fields[0]
      const value = answered?.value ?? ''
      // A number is read in groups and typed without.
      return fields[0]?.type === 'tel' ? value.replaceAll(' ', '') : value
    })
  }

  /** The messages under the questions, by question, from top to bottom, each tied to a control or group. */
  function messages(): Promise<[string, string][]> {
    return main.locator('form').evaluate(form => {
      const found = new Map<string, string>()
      for (const element of form.querySelectorAll('[aria-describedby]'))
        for (const id of element.getAttribute('aria-describedby')?.split(' ') ?? [])
          if (id.endsWith('-error'))
            found.set(id.replace(/-error$/, ''), document.getElementById(id)?.textContent ?? '')
      return [...found]
    })
  }

  /** The summary's links: the question each leads to, and its words. */
  function links(): Promise<[string, string][]> {
    return summary
      .getByRole('link')
      .evaluateAll(anchors =>
        anchors.map(each => [each.getAttribute('href')?.slice(1) ?? '', each.textContent]),
      )
  }

  return { control, step, summary, open, answer, standing, messages, links }
}
