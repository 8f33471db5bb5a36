import type { Locator, Page } from 'playwright-core'
import type { Act } from './applicant-work.ts'
import { type Answers, findNextAct, isChanged, type NextAct, readLastTap, whenListed } from './in-page.ts'
import type { Step } from './step-figures.ts'

/**
 * How fast the applicant is: the pauses before each screen, each act and each key. `isPatient`: before the answers and
 * before the tap that leads to the next screen, waits until nothing loads, no notice is shown and the height is still,
 * so that every run has the same screen height.
 */
export type Pace = { readingMs: number; beforeActMs: number; keyMs: number; isPatient: boolean }

export const countingPace: Pace = { readingMs: 0, beforeActMs: 0, keyMs: 0, isPatient: true }

/** Its pauses are shorter than those of most applicants, so that the portal has less time to load ahead. */
export const briskPace: Pace = { readingMs: 3_000, beforeActMs: 1_000, keyMs: 200, isPatient: false }

type Screen = { page: Page; name: string; pace: Pace }

/**
 * Gives all answers of a screen from top to bottom, as an applicant does. Returns the acts, and the waits for lists.
 */
export async function answerScreen(
  screen: Screen,
  answers: Answers,
): Promise<{ acts: Act[]; steps: Step[] }> {
  const acts: Act[] = []
  const steps: Step[] = []
  // A field that does not accept its answer would be found again and again.
  const maxActs = 2 * Object.keys(answers).length
  for (;;) {
    const next = await screen.page.evaluate(findNextAct, answers)
    if (next.kind === 'done') return { acts, steps }
    if (next.kind === 'loading') steps.push(await awaitList(screen, next.name, answers))
    else if (next.kind === 'search') acts.push(...(await searchPlace(screen, next)))
    else acts.push(await act(screen, next))
    if (acts.length > maxActs) throw new Error(`${screen.name}: ${JSON.stringify(next)} has no effect`)
  }
}

async function awaitList({ page, name: screen }: Screen, name: string, answers: Answers): Promise<Step> {
  const tapMs = await page.evaluate(readLastTap)
  const listed = await page.waitForFunction(whenListed, { name, value: answers[name] ?? '' })
  return { name: `${screen}: list of ${name}`, tapMs, usableMs: Number(await listed.jsonValue()) }
}

/** Finds a place by the first letters of its name. The page fills in its region, department and locality. */
async function searchPlace(
  { page, pace }: Screen,
  { name, value, focus }: Extract<NextAct, { kind: 'search' }>,
): Promise<Act[]> {
  const list = page.getByRole('main').locator(`select[name="${name}"]`)
  const search = list.locator('xpath=preceding::input[@type="search"][1]')
  await page.waitForTimeout(pace.beforeActMs)
  if (focus === 'tap') await tap(page, search)
  else await search.focus()
  await search.pressSequentially(value, { delay: pace.keyMs })
  await page.waitForTimeout(pace.beforeActMs)
  const before = await list.inputValue()
  await tap(page, search.locator('xpath=following::ul[1]').getByRole('button').first())
  await page.waitForFunction(isChanged, { name, before })
  return [
    { kind: 'type', target: name, typed: value, deleted: 0, focus },
    { kind: 'tap', target: name },
  ]
}

type GivenAnswer = Exclude<NextAct, { kind: 'done' | 'loading' | 'search' }>

async function act({ page, pace }: Screen, next: GivenAnswer): Promise<Act> {
  const { name, value } = next
  const control = page.getByRole('main').locator(`[name="${name}"]`)
  await page.waitForTimeout(pace.beforeActMs)
  if (next.kind === 'choose') {
    // On a phone the tap moves the focus to the list, which closes the keyboard.
    await control.focus()
    await control.selectOption(value)
    return { kind: 'choose', target: name }
  }
  if (next.kind === 'tap') {
    await tap(page, control.and(page.locator(`[value="${value}"]`)))
    return { kind: 'tap', target: name }
  }
  if (next.focus === 'tap') await tap(page, control)
  else await control.focus()
  if (next.shown !== '') await control.fill('')
  await control.pressSequentially(value, { delay: pace.keyMs })
  return { kind: 'type', target: name, typed: value, deleted: next.shown.length, focus: next.focus }
}

/** A mouse that rests on a notice keeps it open; a phone has no mouse. */
export async function tap(page: Page, control: Locator): Promise<void> {
  await control.click()
  await page.mouse.move(-20, -20)
}
