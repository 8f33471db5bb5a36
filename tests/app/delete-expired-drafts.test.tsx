// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { deleteExpiredDrafts } from '#app/delete-expired-drafts.ts'
import { newDraft } from '#store/draft.ts'
import { lockedDraftDays } from '#store/locked-drafts.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const dayMs = 24 * 60 * 60_000
const lockedAtMs = Date.parse('2026-06-15T09:00:00Z')
const time = (days: number) => new Date(lockedAtMs + days * dayMs).toISOString()

let portal: Portal
afterEach(() => portal.close())

type Version = { version: string; time?: string; features: readonly string[] }

/**
 * Locks a draft and deletes the expired ones when the device clock has gone ahead by `clockDays`. Resolves to whether the
 * draft is still there. `isUnticked`: by then a visitor has said that the device is not shared any more.
 */
async function survivesDeletion({
  clockDays,
  version,
  isUnticked = false,
}: {
  clockDays: number
  version: Readonly<Version> | 'no connection'
  isUnticked?: boolean
}) {
  portal = await openPortal({
    path: '/procedure',
    answer({ url }) {
      if (!url.includes('/version')) return undefined
      return version === 'no connection' ? version : { json: { data: version } }
    },
  })
  const { store, services, device } = portal
  services.deviceUse.choose(true)
  await store.drafts.update('app-1', () => newDraft({ values: firstPassport, tab: 'NicData' }))
  await store.lockedDrafts.lock(['app-1'])
  if (isUnticked) services.deviceUse.choose(false)
  device.sleep(clockDays * dayMs)
  await services.serverInfo.reload()
  await deleteExpiredDrafts(services)
  return store.lockedDrafts.exist()
}

const announced = { version: '1', features: [] }

it.each([
  ['only the device clock says so', { clockDays: 400, version: { ...announced, time: time(0) } }],
  ['the server does not answer', { clockDays: 400, version: 'no connection' }],
] as const)('D31 a locked draft stays after 7 days when %s', async (_name, given) => {
  expect(await survivesDeletion(given)).toBe(true)
})

it.each([
  ['the server says so', { clockDays: 0, version: { ...announced, time: time(lockedDraftDays + 1) } }],
  ['the server tells no time', { clockDays: lockedDraftDays + 1, version: announced }],
  [
    'the device is not shared any more',
    { clockDays: 0, version: { ...announced, time: time(lockedDraftDays + 1) }, isUnticked: true },
  ],
] as const)('D31 a locked draft is deleted after 7 days when %s', async (_name, given) => {
  expect(await survivesDeletion(given)).toBe(false)
})

it('D31 a start on a device that was never shared does not load the store to delete locked drafts (D114)', async () => {
  portal = await openPortal({ path: '/procedure' })
  const openStore = vi.fn<typeof portal.services.openStore>()
  await deleteExpiredDrafts({ ...portal.services, openStore })
  expect(openStore).not.toHaveBeenCalled()
})
