import type { Locator, Page, Request } from 'playwright-core'
import type { FormValues } from '#contract/application.ts'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { buttonName, type Key } from '#support/data/texts.ts'
import { type Portal, until } from '#support/servers/portal.ts'
import { answerScreen, type Pace, tap } from './answer-screen.ts'
import type { Act, ScreenVisit } from './applicant-work.ts'
import { epochMs } from './epoch.ts'
import {
  acceptSmsCode,
  isFilled,
  isStill,
  readLastTap,
  takeLongTasks,
  whenShown,
  whenUsable,
} from './in-page.ts'
import { type BenchApplicant, type JourneyScreen, journeyScreens } from './journey-screens.ts'
import { readDecision } from './payment-decision.ts'
import type { LongTask, Step } from './step-figures.ts'

export type Walk = {
  visits: ScreenVisit[]
  steps: Step[]
  tasks: LongTask[]
  /**
   * From the decision of the payer at the provider until the page says paid; undefined when the log lacks the decision.
   */
  decisionToPaidMs: number | undefined
  applicant: Applicant
}

export type Walker = {
  page: Page
  portal: Portal
  phone: string
  pace: Pace
  /** By default with answers to some optional questions. */
  form?: FormValues
}

/** Goes the whole way in French, up to the final page with its receipt not yet shown. */
export async function walkJourney({
  page,
  portal,
  phone,
  pace,
  form = firstPassport,
}: Walker): Promise<Walk> {
  const applicant = createApplicant(page, portal, 'fr')
  const benchApplicant = { phone, form, readCode: () => portal.codeFor(`237${phone}`) }
  const walk: Walk = { visits: [], steps: [], tasks: [], decisionToPaidMs: undefined, applicant }
  const requests = watchRequests(page)
  const openedMs = epochMs()
  await page.goto('/', { waitUntil: 'commit' })
  let previousHeading = ''
  for (const [index, screen] of journeyScreens.entries()) {
    const usableMs = await untilUsable({ screen, page, applicant, previousHeading })
    const tapMs = index === 0 ? openedMs : await page.evaluate(readLastTap)
    walk.steps.push({ name: screen.name, tapMs, usableMs })
    process.stdout.write(`${screen.name} after ${Math.round(usableMs - tapMs)} ms\n`)
    previousHeading = await visitScreen({ screen, walk, page, portal, pace, benchApplicant, requests })
    if (index < journeyScreens.length - 1) await tap(page, primaryOf({ screen, page, applicant }))
  }
  return walk
}

type Visit = Omit<Walker, 'phone' | 'form'> & {
  screen: JourneyScreen
  walk: Walk
  benchApplicant: BenchApplicant
  /** Those that have not ended. */
  requests: ReadonlySet<Request>
}

/** Does everything on a usable screen except the last tap. Returns the heading. */
async function visitScreen(visit: Visit): Promise<string> {
  const { screen, walk, page, pace, benchApplicant } = visit
  const { name } = screen
  if (screen.awaits) await awaitPaid(visit, screen.awaits)
  await page.waitForTimeout(pace.readingMs)
  const answers = (await screen.answers?.(benchApplicant)) ?? {}
  // When the acts are counted, the page first fills in what it can: such an answer costs no act.
  if (pace.isPatient) await awaitStill(visit)
  const { acts, steps } = await answerScreen({ page, name, pace }, answers)
  if (screen.smsCodeFor !== undefined) acts.push(await takeSmsCode(visit, screen.smsCodeFor))
  walk.steps.push(...steps)
  await awaitPrimary(visit, acts)
  if (pace.isPatient) await awaitStill(visit)
  walk.tasks.push(...(await page.evaluate(takeLongTasks)))
  walk.visits.push({
    screen: name,
    acts: [...acts, { kind: 'tap', target: screen.primary.key }],
    usedPx: await lowerEdge(page, primaryOf({ ...visit, applicant: walk.applicant }), acts),
    documentPx: await page.evaluate(() => document.documentElement.scrollHeight),
  })
  await page.waitForTimeout(pace.beforeActMs)
  return (await page.locator('main h1').textContent())?.trim() ?? ''
}

/** Accepting the code that the phone offers is one tap. */
async function takeSmsCode({ page, benchApplicant }: Visit, name: string): Promise<Act> {
  await page.evaluate(acceptSmsCode, await benchApplicant.readCode())
  await page.waitForFunction(isFilled, name)
  return { kind: 'tap', target: name }
}

type Shown = { page: Page; screen: JourneyScreen; applicant: Applicant }

function primaryOf({ page, screen: { primary }, applicant }: Shown): Locator {
  const name = buttonName(applicant.t, primary.key)
  return page.getByRole('main').getByRole(primary.role, { name, exact: primary.role === 'button' })
}

/**
 * Waits until the screen shows its heading in place of the one before, and the control that leads on can be used. Does
 * not wait for this control when the applicant first waits for a text (`awaits`).
 */
async function untilUsable({
  page,
  screen,
  applicant,
  previousHeading,
}: Shown & { previousHeading: string }) {
  const label = screen.awaits === undefined ? buttonName(applicant.t, screen.primary.key) : undefined
  const wanted = { address: screen.address, previousHeading, label }
  const usable = await page.waitForFunction(whenUsable, wanted)
  return Number(await usable.jsonValue())
}

/** Waits until the page says that the payer has paid at the provider, and records this wait as a step. */
async function awaitPaid({ page, portal, walk, screen }: Visit, key: Key) {
  const tapMs = await page.evaluate(readLastTap)
  const shown = await page.waitForFunction(whenShown, walk.applicant.t(key))
  const usableMs = Number(await shown.jsonValue())
  const decidedMs = readDecision(portal.log(), tapMs)
  if (decidedMs !== undefined) walk.decisionToPaidMs = usableMs - decidedMs
  walk.steps.push({ name: `${screen.name}: paid`, tapMs: decidedMs ?? tapMs, usableMs })
}

/** The button may wait for a list, such as the times of an office. */
async function awaitPrimary(visit: Visit, acts: readonly Act[]) {
  const { page, screen, walk } = visit
  const wanted = {
    address: screen.address,
    previousHeading: '',
    label: buttonName(walk.applicant.t, screen.primary.key),
  }
  if ((await page.evaluate(whenUsable, wanted)) !== undefined) return
  const usable = await page.waitForFunction(whenUsable, wanted)
  const target = acts.at(-1)?.target ?? screen.name
  const tapMs = await page.evaluate(readLastTap)
  walk.steps.push({
    name: `${screen.name}: after ${target}`,
    tapMs,
    usableMs: Number(await usable.jsonValue()),
  })
}

/** A notice that closes by itself and content that arrives late would change the height. */
async function awaitStill({ page, walk: { applicant }, requests }: Visit): Promise<void> {
  const passing = { loading: applicant.t('app.loading'), closeNotice: applicant.t('button.closeNotice') }
  await until('a complete page', async () => {
    const isComplete = requests.size === 0 && (await page.evaluate(isStill, passing))
    return isComplete || undefined
  })
}

/** Returns a set that has, at any time, the requests of the page that have not ended yet. */
function watchRequests(page: Page): Set<Request> {
  const requests = new Set<Request>()
  page.on('request', request => requests.add(request))
  page.on('requestfinished', request => requests.delete(request))
  page.on('requestfailed', request => requests.delete(request))
  return requests
}

/** The lower edge of the lowest control that the applicant uses, from the top of the document. */
async function lowerEdge(page: Page, primary: Locator, acts: readonly Act[]): Promise<number> {
  const main = page.getByRole('main')
  const used = acts.map(({ target }) => main.locator(`[name="${target}"]`).last())
  const edges = [...used, primary].map(control =>
    control.evaluate(element => element.getBoundingClientRect().bottom + scrollY),
  )
  return Math.max(...(await Promise.all(edges)))
}
