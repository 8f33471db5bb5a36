import type { Locator, Page } from 'playwright-core'
import type { FieldName, Tab } from '#contract/application.ts'

/**
 * A question on the screen. The three parts of a birth date are one question; a phone number and its dial code are one.
 */
export type Question = Exclude<FieldName, BirthPart | 'dialCode'> | 'dateOfBirth' | 'reprDateOfBirth'
type BirthPart = `${'d' | 'reprD'}ayOfBirth` | `${'m' | 'reprM'}onthOfBirth` | `${'y' | 'reprY'}earOfBirth`

/** Answers by field name. The dates of a card or passport have the form YYYY-MM-DD. */
export type Answers = Partial<Record<FieldName, string | boolean>>

const wholeDates: readonly string[] = [
  'reprNicDateOfIssuance',
  'reprNicDateOfExpiry',
  'nicDateOfIssuance',
  'nicDateOfExpiry',
  'eppDateOfIssuance',
] satisfies FieldName[]

/** The form on its page: questions, messages, summary and steps. */
export function createFormPage(page: Page) {
  const main = page.getByRole('main')
  const control = (name: string): Locator => main.locator(`[name="${name}"]`)
  const step = (tab: Tab) => main.locator(`nav a[href$="/${tab}"]`)
  const summary = main.locator('[role="alert"]').filter({ has: page.locator('a[href^="#"]') })

  return {
    control,
    step,
    summary,
    async open(tab: Tab) {
      await step(tab).click()
      await page.waitForURL(`**/${tab}`)
    },
    /** Answers in the given order, because an answer may show the next question. */
    async answer(answers: Answers) {
      for (const [name, value] of Object.entries(answers)) {
        if (wholeDates.includes(name)) await answerDate(control, name, String(value))
        else await answerOne(page, control(name), value)
      }
    },
    /** Returns the current values of these fields, as `answer` takes them. */
    async currentAnswers(names: readonly string[]): Promise<Answers> {
      const read = names.map(async name => [
        name,
        await (wholeDates.includes(name) ? readDate(control, name) : readOne(control(name))),
      ])
      return Object.fromEntries(await Promise.all(read))
    },
    /** Returns question and text of each message, from top to bottom. Only messages that a control refers to count. */
    messages: () => readMessages(main),
    /** Returns for each link of the summary the question that it leads to, and its text. */
    links: (): Promise<[string, string][]> =>
      summary
        .getByRole('link')
        .evaluateAll(anchors =>
          anchors.map(each => [each.getAttribute('href')?.slice(1) ?? '', each.textContent]),
        ),
  }
}

type FindControl = (name: string) => Locator

async function answerDate(control: FindControl, name: string, date: string) {
  const [year = '', month = '', day = ''] = date.split('-')
  await control(`${name}-day`).fill(day)
  await control(`${name}-month`).selectOption(month)
  await control(`${name}-year`).fill(year)
}

async function answerOne(page: Page, field: Locator, value: string | boolean) {
  if (typeof value === 'boolean') return field.setChecked(value)
  const kind = await field
    .first()
    .evaluate(element => (element instanceof HTMLInputElement ? element.type : 'select'))
  if (kind === 'radio') return field.and(page.locator(`[value="${value}"]`)).check()
  await (kind === 'select' ? field.selectOption(value) : field.fill(value))
}

async function readDate(control: FindControl, name: string): Promise<string> {
  const parts = ['year', 'month', 'day'].map(part => control(`${name}-${part}`).inputValue())
  return (await Promise.all(parts)).join('-')
}

function readOne(field: Locator): Promise<string | boolean> {
  return field.evaluateAll(elements => {
    const fields = elements.filter(
      each => each instanceof HTMLInputElement || each instanceof HTMLSelectElement,
    )
    if (fields[0]?.type === 'checkbox') return fields[0].matches(':checked')
    const answered = fields[0]?.type === 'radio' ? fields.find(each => each.matches(':checked')) : fields[0]
    const value = answered?.value ?? ''
    // A phone number is shown in groups of digits and typed without spaces.
    return fields[0]?.type === 'tel' ? value.replaceAll(' ', '') : value
  })
}

function readMessages(main: Locator): Promise<[string, string][]> {
  return main.locator('form').evaluate(form => {
    const found = new Map<string, string>()
    for (const element of form.querySelectorAll('[aria-describedby]'))
      for (const id of element.getAttribute('aria-describedby')?.split(' ') ?? [])
        if (id.endsWith('-error'))
          found.set(id.replace(/-error$/, ''), document.getElementById(id)?.textContent ?? '')
    return [...found]
  })
}
