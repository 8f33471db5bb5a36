import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { createApplicant } from '#support/browsers/applicant.ts'
import { quantile } from '#support/checks/quantile.ts'
import type { Portal } from '#support/servers/portal.ts'
import { type Figures, inOrderOfRound, middleMean } from './figures/rounds.ts'
import type { MeasuredPage, MeasuredPages } from './measure-page.ts'
import { heapBytes, setSlowCpu, slowPage, taskMs } from './visit.ts'

/** A page whose text field has the focus. */
type OpenPage = { name: string; page: Page; cdp: CDPSession }
type TypedPage = OpenPage & { heapBytes: number }

type Typed = { cpuMsPerKey: number; keyMs: number[] }

/**
 * The form saves after a pause in typing (`debounceMs` in `src/screens/form/autosave.ts`). Within a word the next key
 * comes before the end of this pause; a slow typist makes this pause after each key.
 */
const fastIntervalMs = 120
const slowIntervalMs = 300
const keysOfBlock = 10
const blocks = 5

/** `form`: the portal's form, which saves during typing. `phone`: of an applicant who has no application yet. */
type Measured = { pages: MeasuredPages; form: { name: string; portal: Portal; phone: string } }

/**
 * Types into all pages in turn, one block of keys after the other: what slows down the machine for seconds slows down
 * all of them.
 */
export async function measureTyping(browser: Browser, measured: Measured): Promise<Map<string, Figures>> {
  const contexts: BrowserContext[] = []
  const newContext = async (baseURL?: string) => {
    const context = await browser.newContext({
      viewport: { width: 412, height: 823 },
      ...(baseURL && { baseURL }),
    })
    contexts.push(context)
    return context
  }
  try {
    const opened: TypedPage[] = []
    for (const [name, page] of measured.pages) opened.push(await openPage(await newContext(), name, page))
    opened.push(await openForm(await newContext(measured.form.portal.origin), measured.form))
    const fast = await typeInTurn(opened, fastIntervalMs)
    const slow = await typeInTurn(opened, slowIntervalMs)
    return new Map(
      opened.map(({ name, heapBytes: heap }) => [
        name,
        { heapBytes: heap, ...figuresOf(fast.get(name) ?? [], slow.get(name) ?? []) },
      ]),
    )
  } finally {
    for (const context of contexts) await context.close()
  }
}

function figuresOf(fast: readonly Typed[], slow: readonly Typed[]): Figures {
  const cpu = (typed: readonly Typed[]) => middleMean(typed.map(({ cpuMsPerKey }) => cpuMsPerKey))
  const keyMs = fast.flatMap(typed => typed.keyMs).toSorted((one, other) => one - other)
  return { cpuMsPerKey: cpu(fast), cpuMsPerSlowKey: cpu(slow), p95Ms: quantile(keyMs, 0.95) }
}

async function openPage(context: BrowserContext, name: string, measured: MeasuredPage): Promise<TypedPage> {
  const { page, cdp } = await slowPage(context)
  await page.goto(`https://localhost:${measured.server.port}${measured.path}`)
  await page.locator(measured.field).first().focus()
  return ready({ name, page, cdp })
}

/**
 * Opens the form a second time, in a page without a mouse pointer, as on a phone: in the first one the pointer stays
 * where the applicant has clicked, and costs a hit test at each layout.
 */
async function openForm(context: BrowserContext, form: Measured['form']): Promise<TypedPage> {
  const first = await context.newPage()
  const applicant = createApplicant(first, form.portal, 'fr')
  await applicant.chooseLanguage()
  await applicant.signInByPhone(form.phone)
  await applicant.startApplication()
  const address = first.url()
  await first.close()
  const { page, cdp } = await slowPage(context)
  await page.goto(address)
  await page.locator('[name=travelDestination]').focus()
  return ready({ name: form.name, page, cdp })
}

/** Waits until the page has done what follows its start, and prepares it for `typeBlock`. */
async function ready(opened: OpenPage): Promise<TypedPage> {
  const { page, cdp } = opened
  await page.waitForTimeout(4_000)
  const typed = { ...opened, heapBytes: await heapBytes(cdp) }
  await page.evaluate(() => {
    const times: number[] = []
    Object.assign(window, { keyTimes: times })
    let keyDownMs = 0
    const channel = new MessageChannel()
    channel.port1.addEventListener('message', () => times.push(performance.now() - keyDownMs))
    channel.port1.start()
    // The time of the key itself: a long task may delay its event.
    addEventListener('keydown', event => (keyDownMs = event.timeStamp), true)
    addEventListener('input', () => channel.port2.postMessage(0))
  })
  await typeBlock(typed, fastIntervalMs)
  return typed
}

async function typeInTurn(opened: readonly TypedPage[], intervalMs: number): Promise<Map<string, Typed[]>> {
  const found = new Map<string, Typed[]>(opened.map(({ name }) => [name, []]))
  for (let block = 0; block < blocks; block += 1)
    for (const typed of inOrderOfRound(opened, block))
      found.get(typed.name)?.push(await typeBlock(typed, intervalMs))
  return found
}

/** The keys come at fixed times: a page that takes longer for a key gets no longer pause after it. */
async function typeBlock({ page, cdp }: OpenPage, intervalMs: number): Promise<Typed> {
  await setSlowCpu(cdp, true)
  await page.evaluate(() => (Reflect.get(window, 'keyTimes') as number[]).splice(0))
  const before = await taskMs(cdp)
  const startedMs = performance.now()
  for (let index = 0; index < keysOfBlock; index += 1) {
    await page.waitForTimeout(Math.max(0, startedMs + index * intervalMs - performance.now()))
    await page.keyboard.press('abcdefghij'[index] ?? 'a')
  }
  await page.waitForTimeout(600)
  const cpuMsPerKey = ((await taskMs(cdp)) - before) / keysOfBlock
  await setSlowCpu(cdp, false)
  const keyMs = await page.evaluate(() => [...(Reflect.get(window, 'keyTimes') as number[])])
  return { cpuMsPerKey, keyMs }
}
