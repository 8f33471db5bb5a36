import { until } from '#support/servers/portal.ts'
import type { EnginePage } from './engine-page.ts'
import { type Found, inPage, type Query } from './in-page.ts'

/** The actions of a person at the screen. Each but `has`, which looks once, waits for what it needs. */
export type Visitor = ReturnType<typeof createVisitor>

type Ready = Extract<Found, { kind: 'found' }>
type NamedQuery = Omit<Query, 'role'>

export function createVisitor(page: EnginePage) {
  const finder = createFinder(page)
  return {
    page,
    ...createActions(page, finder),
    value: async (name: string) => (await finder.reach({ role: 'field', name })).value,
    field: (name: string) => finder.reach({ role: 'field', name }),
    heading: (name: string) => finder.reach({ role: 'heading', name }),
    async has(query: Query): Promise<boolean> {
      return (await finder.look(query)).kind !== 'absent'
    },
    async sees(...texts: string[]) {
      const label = `the text "${texts.join('" or "')}"`
      await finder.waitFor(label, async () => {
        const text = String(await page.evaluate(inPage('textOfMain')))
        return texts.some(each => text.includes(each))
      })
    },
    async seesReceipt() {
      const isDrawn = async () => (await finder.evaluate(inPage('isReceiptDrawn'))) === true
      await finder.waitFor('the drawn receipt', isDrawn)
    },
  }
}

type Finder = ReturnType<typeof createFinder>

/** Finds elements in a page; the message of a failure contains the text of the page. */
function createFinder(page: EnginePage) {
  /** Undefined when the call fails, for example because the page was left. */
  async function evaluate(expression: string): Promise<unknown> {
    return page.evaluate(expression).catch(() => undefined)
  }

  async function look(query: Query): Promise<Found> {
    const found = (await evaluate(inPage('locate', query))) as Found | undefined // what `locate` returns in the page
    return found ?? { kind: 'absent' }
  }

  /** Waits until an element stops moving: in a moving page the click would hit another element. */
  async function reach(query: Query): Promise<Ready> {
    let last: Found = { kind: 'absent' }
    const findUnmoved = async () => {
      const before = last
      last = await look(query)
      if (last.kind !== 'found' || before.kind !== 'found') return undefined
      return last.x === before.x && last.y === before.y ? last : undefined
    }
    const giveUp = createTimeout(timeoutMs, () => `it is ${describe(last)}`)
    try {
      return await until(`the ${query.role} "${query.name}"`, findUnmoved, { giveUp })
    } catch (error) {
      throw await withPageText(error)
    }
  }

  async function waitFor(label: string, isReached: () => Promise<boolean>): Promise<void> {
    try {
      await waitUntil(label, isReached)
    } catch (error) {
      throw await withPageText(error)
    }
  }

  async function withPageText(cause: unknown): Promise<Error> {
    const text = String(await page.evaluate(inPage('textOfMain')).catch(messageOf))
    const url = await page.url().catch(messageOf)
    return new Error(`${messageOf(cause)}. The page ${url} shows: ${text.slice(0, 300)}`, { cause })
  }

  return { evaluate, look, reach, waitFor }
}

function createActions(page: EnginePage, { evaluate, reach }: Finder) {
  return {
    async press(role: 'button' | 'link', name: string) {
      await page.clickAt(await reach({ role, name }))
    },
    async write(query: NamedQuery, text: string) {
      const field: Query = { role: 'field', ...query }
      await waitUntil(`the focus in the field ${query.name}`, async () => {
        const found = await reach(field)
        // The page may move between this look and the click, so the click may miss. The next look clicks again.
        if (!found.focused) await page.clickAt(found)
        return found.focused
      })
      await page.replaceText(text)
      await waitUntil(`"${text}" in the field ${query.name}`, async () => {
        const { value } = await reach(field)
        // A field may group the typed digits.
        return value.replace(/\s/g, '') === text.replace(/\s/g, '')
      })
    },
    async choose(query: NamedQuery, by: { value?: string; label?: string; index?: number }) {
      const list: Query = { role: 'field', ...query }
      const label = `the option ${JSON.stringify(by)} in ${query.name}`
      await waitUntil(label, async () => (await evaluate(inPage('choose', list, by))) === true)
    },
    async tick(role: 'radio' | 'checkbox', query: NamedQuery) {
      const found = await reach({ role, ...query })
      if (!found.checked) await page.clickAt(found)
    },
  }
}

async function waitUntil(label: string, isReached: () => Promise<boolean>): Promise<void> {
  const giveUp = createTimeout(timeoutMs, () => 'it did not come')
  await until(label, async () => ((await isReached()) ? true : undefined), { giveUp })
}

/** Limits a step that hangs. A busy machine needs more time than an idle one. */
const timeoutMs = 60_000

/** Returns a function that gives the reason once the time is over, and undefined before. */
function createTimeout(limitMs: number, reason: () => string): () => string | undefined {
  const start = performance.now()
  return () => (performance.now() - start > limitMs ? reason() : undefined)
}

function describe(found: Found): string {
  return found.kind === 'covered' ? `covered by ${found.by}` : found.kind === 'found' ? 'moving' : 'absent'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
