import { fieldsOfTab } from '#contract/application.ts'
import { fieldGroups } from '#contract/field-groups.ts'

/** How a text field got the focus: from the page, by the Next key of the keyboard, or by a tap. */
export type Focus = 'page' | 'next' | 'tap'

/** One act of the applicant. `target`: the name of the control, or the catalogue key of the text on it. */
export type Act =
  | { kind: 'tap'; target: string }
  /** In a native select: open the list, then choose. */
  | { kind: 'choose'; target: string }
  /** `deleted`: the characters that the applicant had to delete first. */
  | { kind: 'type'; target: string; typed: string; deleted: number; focus: Focus }

/**
 * What the applicant did on one screen. `usedPx`: the lower edge of the lowest control that the applicant uses, from
 * the top of the document. `documentPx`: the height of the whole document.
 */
export type ScreenVisit = { screen: string; acts: readonly Act[]; usedPx: number; documentPx: number }

/** `nextKeys`: those of `keys` that are presses of the Next key. */
export type Work = { taps: number; keys: number; nextKeys: number }
type PhoneHeights = { usedPhoneHeights: number; documentPhoneHeights: number }
export type ScreenWork = Work & PhoneHeights & { screen: string }
export type QuestionWork = Work & { question: string }

/** The height of the phone that the count assumes. */
const phoneHeightPx = 640

/** The rules of the count, as the report states them. */
export const countingRules = [
  'A click or a choice is 1 tap. A native select is 2 taps: open the list and choose.',
  'A character is 1 key, also one with an accent. A character that must be deleted first is 1 key.',
  'A text field that has the focus costs nothing to reach. A field that the Next key of the keyboard reaches from the ' +
    'field before costs 1 key. The Next key goes to the next text field or select of the form, never to a button; after a ' +
    'select, or a tap on anything but a text field, the keyboard is closed, so the next text field costs 1 tap.',
  'An answer that the portal has prefilled or preselected, and that is right, costs nothing.',
  'A screen is a page with its own address; each tab of the form is one.',
  'The phone-heights of a screen are the lower edge of the lowest control that the applicant uses there, measured from ' +
    `the top of the document and divided by ${phoneHeightPx}. The column “whole document” is ` +
    'measured in the same way, to the end of the page.',
  'The applicant types the first letters of a town until it is the first one in the list of results, and taps it.',
  'The browser of the phone offers the code of the SMS (WebOTP); accepting it is 1 tap. An applicant who types it needs ' +
    '6 keys instead.',
  'The applicant accepts the first date and time that the office offers.',
]

export function workOf(acts: readonly Act[]): Work {
  const work = { taps: 0, keys: 0, nextKeys: 0 }
  for (const act of acts) {
    if (act.kind === 'tap') work.taps += 1
    else if (act.kind === 'choose') work.taps += 2
    else {
      work.taps += act.focus === 'tap' ? 1 : 0
      work.nextKeys += act.focus === 'next' ? 1 : 0
      work.keys += Array.from(act.typed).length + act.deleted + (act.focus === 'next' ? 1 : 0)
    }
  }
  return work
}

/** One row for each screen, in the order of the first visits; a second visit adds to the row. */
export function workByScreen(visits: readonly ScreenVisit[]): ScreenWork[] {
  const names = [...new Set(visits.map(({ screen }) => screen))]
  return names.map(screen => {
    const same = visits.filter(visit => visit.screen === screen)
    const phoneHeightsOf = (edge: 'usedPx' | 'documentPx') =>
      same.reduce((sum, visit) => sum + visit[edge] / phoneHeightPx, 0)
    return {
      screen,
      ...workOf(same.flatMap(({ acts }) => acts)),
      usedPhoneHeights: phoneHeightsOf('usedPx'),
      documentPhoneHeights: phoneHeightsOf('documentPx'),
    }
  })
}

export function totalWork(visits: readonly ScreenVisit[]): Work & PhoneHeights & { screens: number } {
  const rows = workByScreen(visits)
  const sum = (figure: keyof Work | keyof PhoneHeights) => rows.reduce((total, row) => total + row[figure], 0)
  return {
    taps: sum('taps'),
    keys: sum('keys'),
    nextKeys: sum('nextKeys'),
    usedPhoneHeights: sum('usedPhoneHeights'),
    documentPhoneHeights: sum('documentPhoneHeights'),
    screens: rows.length,
  }
}

/** One row for each question or button of a screen; the controls of a date or a place are one question. */
export function workByQuestion(visits: readonly ScreenVisit[]): QuestionWork[] {
  const acts = new Map<string, Act[]>()
  for (const visit of visits)
    for (const act of visit.acts) {
      const question = `${visit.screen}: ${questionOf(visit.screen, act.target)}`
      acts.set(question, [...(acts.get(question) ?? []), act])
    }
  return [...acts].map(([question, list]) => ({ question, ...workOf(list) }))
}

function questionOf(screen: string, control: string): string {
  const field = control.replace(/-(?:day|month|year)$/, '')
  // Other screens have controls of the same names.
  const isFormTab = screen in fieldsOfTab
  const group = isFormTab ? fieldGroups.find(fields => fields.some(name => name === field)) : undefined
  return group?.[0] ?? field
}
