import { until } from '#support/servers/portal.ts'
import type { EnginePage } from './engine-page.ts'
import { type Found, inPage, type Query } from './in-page.ts'

/** The verbs of a person at the screen. Each waits until the element is there and can be used. */
export type Visitor = ReturnType<typeof createVisitor>

type Ready = Extract<Found, { kind: 'found' }>

export function createVisitor(page: EnginePage) {
  /** Undefined when the page is left during the call. */
  async function ask(expression: string): Promise<unknown> {
    return page.run(expression).catch(() => undefined)
  }

  async function look(query: Query): Promise<Found> {
    const found = (await ask(inPage('look', query))) as Found | undefined // what `look` returns in the page
    return found ?? { kind: 'absent' }
  }

  /** Waits for an element that stays in its place: a page that still moves would catch the click elsewhere. */
  async function reach(query: Query): Promise<Ready> {
    let last: Found = { kind: 'absent' }
    try {
      return await until(
        `the ${query.role} "${query.name}"`,
        async () => {
          const before = last
          last = await look(query)
          if (last.kind !== 'found' || before.kind !== 'found') return undefined
          return last.x === before.x && last.y === before.y ? last : undefined
        },
        { giveUp: timeout(waitMs, () => `it is ${describe(last)}`) },
      )
    } catch (error) {
      throw new Error(`${messageOf(error)}. ${await shown()}`, { cause: error })
    }
  }

  async function press(role: 'button' | 'link', name: string) {
    await page.clickAt(await reach({ role, name }))
  }

  async function write(query: Omit<Query, 'role'>, text: string) {
    const field: Query = { role: 'field', ...query }
    await page.clickAt(await reach(field))
    await page.replaceText(text)
    await until(
      `"${text}" in the field ${query.name}`,
      async () => {
        const { value } = await reach(field)
        // A field may group the digits that were typed.
        return value.replace(/\s/g, '') === text.replace(/\s/g, '') ? true : undefined
      },
      { giveUp: timeout(waitMs, () => 'it did not come') },
    )
  }

  async function choose(query: Omit<Query, 'role'>, by: { value?: string; label?: string; index?: number }) {
    const list: Query = { role: 'field', ...query }
    await until(
      `the option ${JSON.stringify(by)} in ${query.name}`,
      async () => ((await ask(inPage('choose', list, by))) === true ? true : undefined),
      { giveUp: timeout(waitMs, () => 'it did not come') },
    )
  }

  async function tick(role: 'radio' | 'checkbox', query: Omit<Query, 'role'>) {
    const found = await reach({ role, ...query })
    if (!found.checked) await page.clickAt(found)
  }

  /** The text of the page, for the message of a failure. */
  async function shown(): Promise<string> {
    const text = String(await page.run(inPage('textOfMain')).catch(messageOf))
    return `The page ${await page.address().catch(messageOf)} shows: ${text.slice(0, 300)}`
  }

  return {
    page,
    press,
    write,
    choose,
    tick,
    value: async (name: string) => (await reach({ role: 'field', name })).value,
    field: (name: string) => reach({ role: 'field', name }),
    heading: (name: string) => reach({ role: 'heading', name }),
    async has(query: Query): Promise<boolean> {
      return (await look(query)).kind !== 'absent'
    },
    async sees(...texts: string[]) {
      await until(
        `the text "${texts.join('" or "')}"`,
        async () => {
          const text = String(await page.run(inPage('textOfMain')))
          return texts.some(each => text.includes(each)) ? true : undefined
        },
        { giveUp: timeout(waitMs, () => 'it did not come') },
      ).catch(async error => {
        throw new Error(`${messageOf(error)}. ${await shown()}`, { cause: error })
      })
    },
    async seesReceipt() {
      await until(
        'the drawn receipt',
        async () => ((await ask(inPage('isReceiptDrawn'))) === true ? true : undefined),
        { giveUp: timeout(waitMs, () => 'it did not come') },
      ).catch(async error => {
        throw new Error(`${messageOf(error)}. ${await shown()}`, { cause: error })
      })
    },
  }
}

/** A time limit for what hangs; a busy machine needs more than an idle one. */
const waitMs = 60_000

function timeout(milliseconds: number, reason: () => string): () => string | undefined {
  const start = performance.now()
  return () => (performance.now() - start > milliseconds ? reason() : undefined)
}

function describe(found: Found): string {
  return found.kind === 'covered' ? `covered by ${found.by}` : found.kind === 'found' ? 'moving' : 'absent'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
