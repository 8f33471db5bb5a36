import type { PaintedControl } from './device.ts'
import { loadOnce } from './load-file.ts'

type Control = HTMLInputElement | HTMLSelectElement

/** Where the page is drawn; marked while it stands as it was painted before the script came. */
const place = '#root'
const mark = 'data-painted'

/** What was read of each control. */
const handedOut = new Map<string, string>()

/** The page that was painted, as its address: undefined where none was, or the portal has taken it over. */
export function paintedPage(): string | undefined {
  return document.querySelector(place)?.getAttribute(mark) ?? undefined
}

/**
 * All styles of the portal. A painted page has those in it that it shows, and no more; every other page links to them.
 * Whoever asks again after a failure asks the line again.
 */
export const wholeSheet = loadOnce(fetchSheet)

/** As browsers say of a script, so that the router deals with both alike: it loads the page anew, once. */
const missingFile = 'Failed to fetch dynamically imported module'

async function fetchSheet(): Promise<void> {
  const address = document.querySelector(place)?.getAttribute('data-whole-sheet')
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
const aliveMark = 'portal-alive'

let tellAlive: () => void
const alive = new Promise<void>(resolve => {
  tellAlive = resolve
})

/** Settles once nothing on the page is as it was painted; at once where nothing was. */
export function pageIsAlive(): Promise<void> {
  return paintedPage() === undefined ? Promise.resolve() : alive
}

export function endPainted(): void {
  retellPainted()
  performance.mark(aliveMark)
  document.querySelector(place)?.removeAttribute(mark)
  tellAlive()
}

/** Read as it stands: somebody may be typing while the portal takes the page over. */
export function readPainted(name: string): PaintedControl | undefined {
  const control = paintedControls().find(each => each.name === name)
  if (!control) return undefined
  handedOut.set(name, control.value)
  const options = 'options' in control ? [...control.options] : []
  return {
    text: control.value,
    ticked: 'checked' in control && control.checked,
    choices: options.map(({ value, label }) => ({ value, label })),
  }
}

/** Tells React what came between its reading of a control and its taking over: it has not heard that. */
function retellPainted(): void {
  for (const control of paintedControls()) {
    const heard = handedOut.get(control.name)
    const { value } = control
    if (heard === undefined || heard === value) continue
    // React knows a change by the value that it saw last, and looks past the setter of the element's own kind.
    control.value = heard
    const kind = control instanceof HTMLSelectElement ? HTMLSelectElement : HTMLInputElement
    Object.getOwnPropertyDescriptor(kind.prototype, 'value')?.set?.call(control, value)
    control.dispatchEvent(new Event(kind === HTMLSelectElement ? 'change' : 'input', { bubbles: true }))
  }
}

function paintedControls(): Control[] {
  return [...document.querySelectorAll<Control>(`${place}[${mark}] :is(input, select)[name]`)]
}
