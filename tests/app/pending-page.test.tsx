// @vitest-environment happy-dom
// Before Dexie, which takes the database of the browser when it is imported.
import 'fake-indexeddb/auto'
import { afterEach, expect, it, vi } from 'vitest'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'
import { eventually } from '#support/eventually.ts'

const t = textsOf('fr')
let portal: Portal

afterEach(() => {
  vi.useRealTimers()
  return portal.close()
})

/** Waits without moving the clock of the page, which stands still. */
async function seeAtOnce(isThere: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1_000_000 && !isThere(); turn += 1)
    await new Promise(resolve => setImmediate(resolve))
  expect(isThere()).toBe(true)
}

it('replaces the loading page with the screen as soon as the answer for the screen has come (D136)', async () => {
  const later = { answerList: () => {} }
  portal = await openPortal({ path: '/help' })
  await portal.heading(t('help.heading'))
  // The code of the screen is loaded now, and the next visit waits for the list alone.
  await portal.router.navigate({ href: '/confirm/app-1/PP-1' })
  await portal.heading(t('confirm.heading'))
  await portal.router.navigate({ href: '/help' })
  await portal.heading(t('help.heading'))
  const list = new Promise<void>(resolve => (later.answerList = resolve))
  const answer = globalThis.fetch
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
    if (url.includes('/applications?')) await list
    return answer(url, init)
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  // After this time the cached list is stale, so the guard reads the list again.
  vi.advanceTimersByTime(60_000)
  void portal.router.navigate({ href: '/confirm/app-1/PP-1' })
  await eventually(() => expect(portal.main().textContent).toContain(t('app.loading')))
  later.answerList()
  await seeAtOnce(() => document.querySelector('h1')?.textContent === t('confirm.heading'))
})
