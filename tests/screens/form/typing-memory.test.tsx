// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest'
import { firstPassport } from '#support/data/applicants.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

let portal: Portal
afterEach(() => portal.close())

it.each([
  ['PersonData', ['surname', 'givenName', 'resAddressStreet']],
  ['ParentData', ['motherSurname', 'motherGivenName', 'fatherSurname']],
])(
  'does not keep one state update per keystroke in React while an applicant types in %s',
  async (tab, names) => {
    portal = await openPortal({ path: `/form/app-1/PP-1/${tab}`, data: firstPassport })
    await portal.see(() => expect(portal.main().querySelector('form [name]')).not.toBeNull())
    for (let key = 0; key < 50; key += 1)
      for (const name of names) portal.answer(name, `Ada ${'a'.repeat(key)}`)
    await portal.see(() => expect(longestQueue()).toBeLessThan(10))
  },
)

// What React keeps, as far as this test reads it.
type Update = { next: Update }
type Hook = { next: Hook | null; queue: { pending: Update | null } | null }
type Fiber = { child: Fiber | null; sibling: Fiber | null; return: Fiber | null; memoizedState: unknown }

/** Returns the length of the longest list of state updates that wait for a next render. */
function longestQueue(): number {
  const key = Object.keys(portal.main()).find(each => each.startsWith('__reactFiber$'))
  let top = Reflect.get(portal.main(), key ?? '') as Fiber // React's own property has no type
  while (top.return) top = top.return
  const queues = fibersOf(top)
    .flatMap(hooksOf)
    .flatMap(({ queue }) => (queue && 'pending' in queue ? [queue] : []))
  // With other names in React this test would find no list, and could not fail.
  expect(queues.length).toBeGreaterThan(0)
  return Math.max(...queues.map(({ pending }) => lengthOf(pending)))
}

function fibersOf(fiber: Fiber | null): Fiber[] {
  return fiber ? [fiber, ...fibersOf(fiber.child), ...fibersOf(fiber.sibling)] : []
}

function hooksOf({ memoizedState }: Fiber): Hook[] {
  const hooks: Hook[] = []
  for (let hook = memoizedState; isHook(hook); hook = hook.next) hooks.push(hook)
  return hooks
}

function isHook(value: unknown): value is Hook {
  return typeof value === 'object' && value !== null && 'queue' in value && 'next' in value
}

function lengthOf(last: Update | null): number {
  let length = 0
  for (let update = last; update && (length === 0 || update !== last); update = update.next) length += 1
  return length
}
