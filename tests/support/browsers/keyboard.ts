import type { Page } from 'playwright-core'
import type { FormValues } from '#contract/application.ts'

type Focused = {
  tag: string
  type: string
  name: string
  value: string
  checked: boolean
  text: string
  /** The accessible name. */
  label: string
  /** Why the focus is not visible; '' when it is. */
  whyHidden: string
}

/** An applicant without a mouse: Tab moves from control to control, and each control has its own keys. */
export function createKeyboard(page: Page) {
  const { keyboard } = page

  /** Moves to the next control and returns it. @throws when its focus is not visible. */
  async function tab(): Promise<Focused> {
    await keyboard.press('Tab')
    const focused = await page.evaluate(readFocused)
    // After the last control Tab leaves the page; the next press comes back to the first one.
    return focused.tag === 'BODY' ? focused : requireSeen(focused)
  }

  /** @throws when no control has the focus, or when it is not visible. */
  async function expectSeen(): Promise<Focused> {
    return requireSeen(await page.evaluate(readFocused))
  }

  /**
   * Moves to the next control with this accessible name, alone or with ` – ` and more words behind it, and presses
   * Enter. With `isBeginning`: to the next control whose name begins with these words.
   */
  async function press(words: string, { isBeginning = false } = {}) {
    for (let presses = 0; presses < 120; presses += 1) {
      const { label } = await tab()
      const hasName = label === words || label.startsWith(isBeginning ? words : `${words} – `)
      if (hasName) return keyboard.press('Enter')
    }
    throw new Error(`Tab did not reach ${words}`)
  }

  /**
   * Presses Tab until the focus is on the control with this `name` attribute, or inside an element with this role; not
   * at all when it is there already.
   */
  async function tabTo({ name, role }: { name?: string; role?: string }) {
    for (let presses = 0; presses < 60; presses += 1) {
      const found = await page.evaluate(
        ([wantedName, wantedRole]) => {
          const focused = document.activeElement
          if (wantedRole !== undefined) return focused?.closest(`[role="${wantedRole}"]`) != null
          return focused?.getAttribute('name') === wantedName
        },
        [name, role] as const,
      )
      if (found) return
      await tab()
    }
    throw new Error(`Tab did not reach ${name ?? role}`)
  }

  async function pressButton(words: string) {
    for (let presses = 0; presses < 10; presses += 1) {
      if ((await page.evaluate(readFocused)).text === words) return keyboard.press('Enter')
      await tab()
    }
    throw new Error(`Tab did not reach ${words}`)
  }

  return { ...createKeyboardAnswers(page, tab), tabTo, press, pressButton, expectSeen }
}

function requireSeen(focused: Focused): Focused {
  if (focused.whyHidden !== '')
    throw new Error(`The focus is ${focused.whyHidden}: ${JSON.stringify(focused)}`)
  return focused
}

/** Answers the controls of a form by keys. `tab` moves to the next control. */
function createKeyboardAnswers(page: Page, tab: () => Promise<Focused>) {
  const { keyboard } = page

  /**
   * Answers each control that Tab reaches and that has an answer in `form`, up to the control `last` or the first
   * submit button.
   */
  async function answerFormTab(form: Partial<FormValues>, last?: keyof FormValues) {
    for (let presses = 0; presses < 150; presses += 1) {
      const focused = await tab()
      if (focused.type === 'submit') return
      const answer = answerFor(form, focused.name)
      if (answer !== '') await enter(focused, answer)
      if (focused.name === last) return
    }
    throw new Error(`Tab reached neither ${last ?? 'the last control'} nor a submit button`)
  }

  async function enter(focused: Focused, answer: string) {
    if (focused.tag === 'SELECT') return choose(answer)
    if (focused.type === 'radio') return chooseRadio(answer)
    if (focused.type === 'checkbox') {
      if (String(focused.checked) !== answer) await keyboard.press('Space')
      return
    }
    if (focused.value === answer) return
    await keyboard.press('ControlOrMeta+A')
    await keyboard.type(answer)
  }

  /** Waits for the option in the list, then moves to it with the arrow keys. */
  async function choose(answer: string) {
    const list = await page.evaluateHandle(() => document.activeElement)
    await page.waitForFunction(
      ([select, value]) =>
        select instanceof HTMLSelectElement && [...select.options].some(option => option.value === value),
      [list, answer] as const,
    )
    const steps = await list.evaluate((select, value) => {
      if (!(select instanceof HTMLSelectElement)) return 0
      return [...select.options].findIndex(option => option.value === value) - select.selectedIndex
    }, answer)
    for (let step = 0; step < Math.abs(steps); step += 1)
      await keyboard.press(steps > 0 ? 'ArrowDown' : 'ArrowUp')
  }

  /** Tab reaches one radio button of a group. The arrow keys cycle through the group, Space chooses the focused one. */
  async function chooseRadio(answer: string) {
    const first = await page.evaluate(readFocused)
    if (first.value === answer) return first.checked ? undefined : keyboard.press('Space')
    for (let turn = 0; turn < 8; turn += 1) {
      await keyboard.press('ArrowDown')
      if ((await page.evaluate(readFocused)).value === answer) return
    }
    throw new Error(`${first.name} has no answer ${answer}`)
  }

  return { answerFormTab, choose, chooseRadio }
}

/** The parts of a date have names like `nicDateOfExpiry-day`. */
function answerFor(form: Partial<FormValues>, name: string): string {
  const values = new Map<string, string | boolean>(Object.entries(form))
  const [field = '', part] = name.split('-')
  const value = String(values.get(field) ?? '')
  const [year = '', month = '', day = ''] = value.split('-')
  return part === undefined ? value : ({ year, month, day }[part] ?? '')
}

/** Runs in the page. */
function readFocused(): Focused {
  const focused = document.activeElement
  const field =
    focused instanceof HTMLInputElement || focused instanceof HTMLSelectElement ? focused : undefined
  return {
    tag: focused?.tagName ?? '',
    type: focused?.getAttribute('type') ?? '',
    name: focused?.getAttribute('name') ?? '',
    value: field?.value ?? '',
    checked: field?.matches(':checked') ?? false,
    text: focused?.textContent?.trim() ?? '',
    label: focused && focused !== document.body ? labelOf(focused) : '',
    whyHidden: focused && focused !== document.body ? whyHidden(focused) : 'on no control',
  }

  function labelOf(element: Element): string {
    const ids = element.getAttribute('aria-labelledby')?.split(' ') ?? []
    const named = ids.map(id => document.getElementById(id)?.textContent ?? '').join(' ')
    const words = named || element.getAttribute('aria-label') || field?.labels?.[0]?.textContent
    return (words || element.textContent || '').trim()
  }

  function whyHidden(element: Element): string {
    const label = field?.labels?.[0]
    const rings = [element, ...(label ? [label] : [])].map(each => getComputedStyle(each))
    if (!rings.some(ring => ring.outlineStyle !== 'none' && parseFloat(ring.outlineWidth) >= 2))
      return 'without a ring'
    // When a link wraps, the middle of its whole box may be beside its text, so only the first line is checked.
    const [place] = element.getClientRects()
    if (!place) return 'nowhere'
    const [x, y] = [place.left + place.width / 2, place.top + place.height / 2]
    const there = document.elementFromPoint(x, y)
    if (!there) return 'outside of the window'
    if (element.contains(there) || label?.contains(there)) return ''
    return `under ${there.outerHTML.slice(0, 80)}`
  }
}
