// oxlint-disable unicorn/consistent-function-scoping -- Playwright sends one function to the page, so it must contain all others
import type { Focus } from './applicant-work.ts'
import type { LongTask } from './step-figures.ts'

// Every exported function runs in the page, so it may use nothing from outside itself.

/**
 * Answers by the names of the controls. `search:` and the name of the first list of a place: the text to type into the
 * search field above that list.
 */
export type Answers = Readonly<Record<string, string>>

/**
 * What the applicant does next on this screen, from top to bottom. `loading`: the list does not have the wanted option
 * yet.
 */
export type NextAct =
  | { kind: 'done' }
  | { kind: 'loading'; name: string }
  | { kind: 'choose'; name: string; value: string }
  /** Types `value` into the search field above the list, and taps the first place that the search finds. */
  | { kind: 'search'; name: string; value: string; focus: Focus }
  | { kind: 'tap'; name: string; value: string }
  | { kind: 'type'; name: string; value: string; shown: string; focus: Focus }

/**
 * Finds the first control that shows another answer than wanted. A control that is disabled, read-only or hidden needs
 * none.
 */
export function findNextAct(answers: Answers): NextAct {
  const textTypes = ['text', 'tel', 'email', 'password', 'number', 'search']
  const controls = document.querySelectorAll<HTMLInputElement | HTMLSelectElement>('main input, main select')
  for (const [index, control] of [...controls].entries()) {
    const { name } = control
    if (control.type === 'search' && isUsable(control)) {
      const list = controls[index + 1]
      const query = answers[`search:${list?.name}`]
      if (!list || query === undefined || list.value === answers[list.name]) continue
      return { kind: 'search', name: list.name, value: query, focus: focusOf(control) }
    }
    const value = answers[name]
    if (value === undefined || !isUsable(control)) continue
    if (control instanceof HTMLSelectElement) {
      if (control.value === value) continue
      const isListed = [...control.options].some(option => option.value === value)
      return isListed ? { kind: 'choose', name, value } : { kind: 'loading', name }
    }
    if (control.type === 'radio') {
      if (control.value === value && !control.checked) return { kind: 'tap', name, value }
      continue
    }
    // A phone number is shown in groups of digits.
    const shown = control.type === 'tel' ? control.value.replaceAll(/\s/g, '') : control.value
    if (shown !== value) return { kind: 'type', name, value, shown, focus: focusOf(control) }
  }
  return { kind: 'done' }

  function focusOf(control: Element): Focus {
    const focused = document.activeElement
    if (focused === control) return 'page'
    if (!(focused instanceof HTMLInputElement) || !isField(focused)) return 'tap'
    const fields = [...(focused.form?.elements ?? [])].filter(isField)
    return fields[fields.indexOf(focused) + 1] === control ? 'next' : 'tap'
  }

  /** Whether the Next key of the keyboard stops here. */
  function isField(control: Element): boolean {
    const isText = control instanceof HTMLInputElement && textTypes.includes(control.type)
    return (isText || control instanceof HTMLSelectElement) && isUsable(control)
  }

  function isUsable(control: HTMLInputElement | HTMLSelectElement): boolean {
    const isReadOnly = control instanceof HTMLInputElement && control.readOnly
    return !control.matches(':disabled') && !isReadOnly && control.getClientRects().length > 0
  }
}

export type WantedOption = { name: string; value: string }

/** Returns the time in milliseconds since 1970 once the list has this option. */
export function whenListed({ name, value }: WantedOption): number | undefined {
  const list = document.querySelector(`main select[name="${name}"]`)
  const isListed =
    list instanceof HTMLSelectElement && [...list.options].some(option => option.value === value)
  return isListed ? performance.timeOrigin + performance.now() : undefined
}

/** Whether the text field has a value. */
export function isFilled(name: string): boolean {
  const field = document.querySelector(`main input[name="${name}"]`)
  return field instanceof HTMLInputElement && field.value !== ''
}

/** Whether the list has another value than before. */
export function isChanged({ name, before }: { name: string; before: string }): boolean {
  const list = document.querySelector(`main select[name="${name}"]`)
  return list instanceof HTMLSelectElement && list.value !== before
}

/**
 * `address`: a pattern of the path. `previousHeading`: the heading of the screen before; '' to accept any heading.
 * `label`: the text of the control that leads to the next screen; undefined to wait only for the heading.
 */
export type WantedScreen = { address: string; previousHeading: string; label: string | undefined }

/**
 * Returns the time in milliseconds since 1970 once this screen shows its heading and the control `label` can be used.
 */
export function whenUsable({ address, previousHeading, label }: WantedScreen): number | undefined {
  if (!new RegExp(address).test(location.pathname)) return undefined
  const shown = document.querySelector('main h1')?.textContent?.trim() ?? ''
  if (shown === '' || shown === previousHeading) return undefined
  const controls = [...document.querySelectorAll('main button, main a')]
  if (label !== undefined && !controls.some(isWanted)) return undefined
  return performance.timeOrigin + performance.now()

  function isWanted(control: Element): boolean {
    const isBusy = control.getAttribute('aria-disabled') === 'true'
    if (control.matches(':disabled') || isBusy || control.getClientRects().length === 0) return false
    const name = nameOf(control)
    return name === label || (control instanceof HTMLAnchorElement && name.startsWith(label ?? ''))
  }

  function nameOf(control: Element): string {
    const ids = control.getAttribute('aria-labelledby')?.split(' ') ?? []
    const named = ids.map(id => document.getElementById(id)?.textContent ?? '').join(' ')
    return (named || control.textContent || '').trim()
  }
}

/** Returns the time in milliseconds since 1970 once the page shows this text. */
export function whenShown(text: string): number | undefined {
  const isShown = document.querySelector('main')?.textContent?.includes(text)
  return isShown ? performance.timeOrigin + performance.now() : undefined
}

/** The label of the receipt's code, and the text that says that the receipt cannot be shown. */
export type ReceiptTexts = { code: string; failed: string }

/**
 * Returns the time in milliseconds since 1970 once the page shows the receipt's code; -1 when it says that it cannot.
 */
export function whenCodeShown({ code, failed }: ReceiptTexts): number | undefined {
  if (document.querySelector('main')?.textContent?.includes(failed)) return -1
  const isShown = [...document.querySelectorAll('svg[role="img"]')].some(
    image => image.getAttribute('aria-label') === code,
  )
  return isShown ? performance.timeOrigin + performance.now() : undefined
}

/** The text of a list or page that loads, and the label of the button that closes a notice. */
export type Passing = { loading: string; closeNotice: string }

/** Whether nothing loads, no notice covers the page, and its height has been the same for half a second. */
export function isStill({ loading, closeNotice }: Passing): boolean {
  const isPassing =
    document.querySelector('main')?.textContent?.includes(loading) === true ||
    [...document.querySelectorAll('button')].some(each => each.getAttribute('aria-label') === closeNotice)
  const height = document.documentElement.scrollHeight
  const before: unknown = Reflect.get(window, 'stillHeight')
  const sinceMs = Number(Reflect.get(window, 'stillSinceMs') ?? 0)
  if (!isPassing && before === height) return performance.now() - sinceMs >= 500
  Object.assign(window, { stillHeight: isPassing ? undefined : height, stillSinceMs: performance.now() })
  return false
}

/** Runs before the page's own scripts: remembers the last tap across pages, and each task of 50 ms and more. */
export function observeApplicant(): void {
  const tasks: LongTask[] = []
  Object.assign(window, { longTasks: tasks })
  new PerformanceObserver(list => {
    for (const { startTime, duration } of list.getEntries())
      tasks.push({ atMs: performance.timeOrigin + startTime, durationMs: duration })
  }).observe({ type: 'longtask', buffered: true })
  for (const type of ['click', 'change'])
    addEventListener(
      type,
      ({ timeStamp }) => sessionStorage.setItem('last-tap', String(performance.timeOrigin + timeStamp)),
      true,
    )
}

/** Runs before the page's own scripts: imitates a phone that offers the code of an SMS to the page (WebOTP). */
export function receiveSmsCodes(): void {
  const received = new Promise(resolve => Object.assign(window, { acceptSmsCode: resolve }))
  Object.assign(window, { OTPCredential: () => undefined })
  const { credentials } = navigator
  const readOther = credentials.get.bind(credentials)
  Object.defineProperty(credentials, 'get', {
    value: (request?: CredentialRequestOptions) =>
      request && 'otp' in request ? received.then(code => ({ type: 'otp', code })) : readOther(request),
  })
}

/** The applicant accepts the code that the phone offers. */
export function acceptSmsCode(code: string): void {
  const accept: unknown = Reflect.get(window, 'acceptSmsCode')
  if (typeof accept === 'function') accept(code)
}

/** In milliseconds since 1970; 0 before the first tap. */
export function readLastTap(): number {
  return Number(sessionStorage.getItem('last-tap'))
}

/** Returns the long tasks since the last call. */
export function takeLongTasks(): LongTask[] {
  const tasks: unknown = Reflect.get(window, 'longTasks')
  return Array.isArray(tasks) ? tasks.splice(0) : []
}
