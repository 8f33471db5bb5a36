// @vitest-environment happy-dom
import 'fake-indexeddb/auto'
import { afterEach, expect, it, vi } from 'vitest'
import { refreshAfterRestore } from '#app/refresh-after-restore.ts'
import { requireSynced } from '#app/require-synced.ts'
import { emptyForm, toWire } from '#contract/application.ts'
import { toApplicationId } from '#contract/id-text.ts'
import { newDraft } from '#store/draft.ts'
import { makeToken } from '#support/data/access-token.ts'
import { closeServices, openServices } from '#support/fixtures/open-services.ts'
import { installFakeFetch } from '#support/providers/fake-fetch.ts'
import { createWaitingLocks } from '#support/providers/waiting-locks.ts'

afterEach(async () => {
  await closeServices()
  vi.unstubAllGlobals()
})

const base = { version: 5, additionalData: '', values: emptyForm(), at: 1 }
const draft = newDraft({ values: { ...emptyForm(), surname: 'Unsent' }, tab: 'NicData', base })

async function requireSyncedWithUnsentDraft(version: { status: number; json: object }): Promise<boolean> {
  installFakeFetch(({ url }) => (url.endsWith('/version') ? version : { json: { data: {} } }))
  const services = await openServices()
  await services.session.begin({
    token: makeToken({ applicantId: crypto.randomUUID() }),
    draftKey: 'secret',
  })
  const { drafts } = await services.openStore()
  await drafts.update('app-1', () => draft)
  return requireSynced(services, toApplicationId('app-1'))
}

it.each([429, 503, 500])(
  'D33 requireSynced returns false for an unsent draft when /version answers with %i',
  async status => {
    expect(
      await requireSyncedWithUnsentDraft({ status, json: { statusCode: status, message: 'busy' } }),
    ).toBe(false)
  },
)

it('D67 requireSynced returns true for an unsent draft when the server accepts no drafts', async () => {
  expect(
    await requireSyncedWithUnsentDraft({ status: 200, json: { data: { version: '1', otpTtl: 60 } } }),
  ).toBe(true)
})

it.each([
  ['has another epoch', { version: 1_005, epoch: 'after' }],
  ['shows an older version', { version: 3, epoch: 'before' }],
])(
  'D62 requireSynced returns false until it could read the form of a restored server, which %s',
  async (_, restored) => {
    const server = { status: 503, json: { statusCode: 503, message: 'busy' } as object }
    installFakeFetch(({ url }) => {
      const info = { version: '1', otpTtl: 60, features: ['drafts'], epoch: restored.epoch }
      return url.endsWith('/version') ? { json: { data: info } } : server
    })
    const services = await openServices()
    services.device.withLock = createWaitingLocks()
    await services.session.begin({
      token: makeToken({ applicantId: crypto.randomUUID() }),
      draftKey: 'secret',
    })
    const { drafts } = await services.openStore()
    const sent = newDraft({ values: emptyForm(), tab: 'NicData', base: { ...base, epoch: 'before' } })
    await drafts.update('app-1', () => sent)
    const shown = restored.epoch === 'before' ? restored : undefined
    const press = async () => {
      const isOlder = shown && (await refreshAfterRestore(services, toApplicationId('app-1'), shown))
      return requireSynced(services, toApplicationId('app-1'), { ...(isOlder && { isOlder }) })
    }
    expect(await press()).toBe(false)
    const data = { ...toWire(emptyForm()), additionalData: '', ...restored, currentState: 'NEW' }
    Object.assign(server, { status: 200, json: { data } })
    expect(await press()).toBe(true)
  },
)
