import type { PrerenderedControl } from './device.ts'
import { loadOnce } from './load-with-retry.ts'

type Control = HTMLInputElement | HTMLSelectElement

/** The element that React renders into. It has `prerenderedAttribute` until the prerendered page is hydrated. */
const rootSelector = '#root'
const prerenderedAttribute = 'data-painted'

/** The value of each control when React read it. */
const readValues = new Map<string, string>()

/** Returns the language and path of the prerendered page; undefined without one, or after hydration. */
export function prerenderedPage(): string | undefined {
  return document.querySelector(rootSelector)?.getAttribute(prerenderedAttribute) ?? undefined
}

/**
 * Loads all styles of the portal. A prerendered page contains only the styles that it needs; other pages link the
 * full style sheet. After a failure the next call loads again.
 */
export const loadFullStyleSheet = loadOnce(addStyleSheet)

/** The message of a browser for a missing script: the router then reloads the page once, for styles as for scripts. */
const missingFile = 'Failed to fetch dynamically imported module'

async function addStyleSheet(): Promise<void> {
  const url = document.querySelector(rootSelector)?.getAttribute('data-whole-sheet')
  if (!url) return
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: url })
  const loaded = new Promise<void>((resolve, reject) => {
    link.addEventListener('load', () => resolve(), { once: true })
    link.addEventListener('error', () => reject(new TypeError(`${missingFile}: ${url}`)), { once: true })
  })
  document.head.append(link)
  await loaded.catch((error: unknown) => {
    link.remove()
    throw error
  })
}

/** The benchmark and the journey tests read this performance mark. */
const hydratedMark = 'portal-alive'

let resolveHydrated: () => void
const hydrated = new Promise<void>(resolve => {
  resolveHydrated = resolve
})

/** Resolves after hydration; at once when the page was not prerendered or is hydrated already. */
export function whenHydrated(): Promise<void> {
  return prerenderedPage() === undefined ? Promise.resolve() : hydrated
}

/** Ends the prerendered state after hydration: replays what the applicant did before React had its listeners. */
export function endPrerendered(): void {
  replayInput()
  performance.mark(hydratedMark)
  document.querySelector(rootSelector)?.removeAttribute(prerenderedAttribute)
  resolveHydrated()
  replayLanguage()
  replaySubmit()
}

/** Returns the current value, because the applicant may type during hydration, and remembers it for `endPrerendered`. */
export function readPrerendered(name: string): PrerenderedControl | undefined {
  const control = prerenderedControls().find(each => each.name === name)
  if (!control) return undefined
  readValues.set(name, control.value)
  const options = 'options' in control ? [...control.options] : []
  return {
    text: control.value,
    ticked: 'checked' in control && control.checked,
    choices: options.map(({ value, label, disabled }) => ({ value, label, disabled })),
  }
}

/** Replays input between React's read of a control and the end of hydration: React has no event for it. */
function replayInput(): void {
  for (const control of prerenderedControls()) {
    const readValue = readValues.get(control.name)
    const { value } = control
    if (readValue === undefined || readValue === value) continue
    // React defines a setter on the control, and detects a change by comparing with the last value set through it. So
    // this sets the old value through it, then the new value through the setter of the prototype.
    control.value = readValue
    const kind = control instanceof HTMLSelectElement ? HTMLSelectElement : HTMLInputElement
    Object.getOwnPropertyDescriptor(kind.prototype, 'value')?.set?.call(control, value)
    control.dispatchEvent(new Event(kind === HTMLSelectElement ? 'change' : 'input', { bubbles: true }))
  }
}

/** Repeats a press on a language that public/check-browser.js recorded before hydration. */
function replayLanguage(): void {
  const root = document.querySelector(rootSelector)
  const language = root?.getAttribute('data-pressed-language')
  root?.removeAttribute('data-pressed-language')
  // The click must come after the render that calls this function.
  if (language)
    setTimeout(() => root?.querySelector<HTMLElement>(`button[aria-pressed][lang=${language}]`)?.click())
}

/** Repeats a submit that public/check-browser.js recorded before hydration. */
function replaySubmit(): void {
  const root = document.querySelector(rootSelector)
  if (!root?.hasAttribute('data-pressed-submit')) return
  root.removeAttribute('data-pressed-submit')
  const form = root.querySelector('form')
  form?.querySelector('[type=submit]')?.removeAttribute('aria-disabled')
  // The submit must come after the render that calls this function.
  setTimeout(() => form?.requestSubmit())
}

function prerenderedControls(): Control[] {
  return [
    ...document.querySelectorAll<Control>(
      `${rootSelector}[${prerenderedAttribute}] :is(input, select)[name]`,
    ),
  ]
}
