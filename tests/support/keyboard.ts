import type { Page } from 'playwright-core'
import type { FormValues } from '#contract/application.ts'

type Focused = { tag: string; type: string; name: string; value: string; checked: boolean; text: string }

/** Somebody without a mouse: Tab from control to control, and each answered with its own keys. */
export function createKeyboard(page: Page) {
  const { keyboard } = page

  /** Answers each control of the tab as Tab comes to it, up to the named one or to the buttons at the foot. */
  async function answerTab(form: Partial<FormValues>, last?: keyof FormValues) {
    for (let presses = 0; presses < 150; presses += 1) {
      await keyboard.press('Tab')
      const focused = await page.evaluate(readFocused)
      if (focused.type === 'submit') return
      const answer = answerFor(form, focused.name)
      if (answer !== '') await give(focused, answer)
      if (focused.name === last) return
    }
    throw new Error('Tab never came to the button at the foot')
  }

  /** On to the control of this name, or the element with this role. */
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
      await keyboard.press('Tab')
    }
    throw new Error(`Tab never came to ${name ?? role}`)
  }

  async function give(focused: Focused, answer: string) {
    if (focused.tag === 'SELECT') return choose(answer)
    if (focused.type === 'radio') return chooseRadio(focused, answer)
    if (focused.type === 'checkbox') {
      if (String(focused.checked) !== answer) await keyboard.press('Space')
      return
    }
    if (focused.value === answer) return
    await keyboard.press('ControlOrMeta+A')
    await keyboard.type(answer)
  }

  /** Arrows from the present option to the wanted one, once the list has come. */
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

  /** Tab comes to one of the group; arrows go round in it, Space takes the one it stands on. */
  async function chooseRadio(first: Focused, answer: string) {
    if (first.value === answer) return first.checked ? undefined : keyboard.press('Space')
    for (let turn = 0; turn < 5; turn += 1) {
      await keyboard.press('ArrowDown')
      if ((await page.evaluate(readFocused)).value === answer) return
    }
    throw new Error(`No answer ${answer} of ${first.name}`)
  }

  async function pressButton(words: string) {
    for (let presses = 0; presses < 10; presses += 1) {
      if ((await page.evaluate(readFocused)).text === words) return keyboard.press('Enter')
      await keyboard.press('Tab')
    }
    throw new Error(`Tab never came to ${words}`)
  }

  return { answerTab, tabTo, choose, pressButton }
}

/** A date's parts are named after their date. */
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
  }
}
