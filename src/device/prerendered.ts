import type { PrerenderedControl } from './device.ts'
import { loadOnce } from './load-with-retry.ts'

type Control = HTMLInputElement | HTMLSelectElement

/** Where the page is drawn; marked while it stands as it was painted before the script came. */
const rootSelector = '#root'
const prerenderedAttribute = 'data-painted'

/** What was read of each control. */
const readValues = new Map<string, string>()

/** The page that was painted, as its address: undefined where none was, or the portal has taken it over. */
export function prerenderedPage(): string | undefined {
  return document.querySelector(rootSelector)?.getAttribute(prerenderedAttribute) ?? undefined
}

/**
 * All styles of the portal. A painted page has those in it that it shows, and no more; every other page links to them.
 * Whoever asks again after a failure asks the line again.
 */
export const loadFullStyleSheet = loadOnce(fetchStyleSheet)

/** As browsers say of a script, so that the router deals with both alike: it loads the page anew, once. */
const missingFile = 'Failed to fetch dynamically imported module'

async function fetchStyleSheet(): Promise<void> {
  const address = document.querySelector(rootSelector)?.getAttribute('data-whole-sheet')
  if (!address) return
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: address })
  const come = new Promise<void>((resolve, reject) => {
    link.addEventListener('load', () => resolve(), { once: true })
    link.addEventListener('error', () => reject(new TypeError(`${missingFile}: ${address}`)), { once: true })
  })
  document.head.append(link)
  await come.catch((error: unknown) => {
    link.remove()
    throw error
  })
}

/** Seen by the benchmark. */
const hydratedMark = 'portal-alive'

let resolveHydrated: () => void
const hydrated = new Promise<void>(resolve => {
  resolveHydrated = resolve
})

/** Settles once nothing on the page is as it was painted; at once where nothing was. */
export function whenHydrated(): Promise<void> {
  return prerenderedPage() === undefined ? Promise.resolve() : hydrated
}

export function endPrerendered(): void {
  replayInput()
  performance.mark(hydratedMark)
  document.querySelector(rootSelector)?.removeAttribute(prerenderedAttribute)
  resolveHydrated()
}

/** Read as it stands: somebody may be typing while the portal takes the page over. */
export function readPrerendered(name: string): PrerenderedControl | undefined {
  const control = prerenderedControls().find(each => each.name === name)
  if (!control) return undefined
  readValues.set(name, control.value)
  const options = 'options' in control ? [...control.options] : []
  return {
    text: control.value,
    ticked: 'checked' in control && control.checked,
    choices: options.map(({ value, label }) => ({ value, label })),
  }
}

/** Tells React what came between its reading of a control and its taking over: it has not heard that. */
function replayInput(): void {
  for (const control of prerenderedControls()) {
    const readValue = readValues.get(control.name)
    const { value } = control
    if (readValue === undefined || readValue === value) continue
    // React knows a change by the value that it saw last, and looks past the setter of the element's own kind.
    control.value = readValue
    const kind = control instanceof HTMLSelectElement ? HTMLSelectElement : HTMLInputElement
    Object.getOwnPropertyDescriptor(kind.prototype, 'value')?.set?.call(control, value)
    control.dispatchEvent(new Event(kind === HTMLSelectElement ? 'change' : 'input', { bubbles: true }))
  }
}

function prerenderedControls(): Control[] {
  return [
    ...document.querySelectorAll<Control>(
      `${rootSelector}[${prerenderedAttribute}] :is(input, select)[name]`,
    ),
  ]
}
