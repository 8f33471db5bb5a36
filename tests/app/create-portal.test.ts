// @vitest-environment happy-dom
import 'fake-indexeddb/auto'
import { afterEach, expect, it, vi } from 'vitest'
import { newDraft } from '#store/draft.ts'
import { makeToken } from '#support/data/access-token.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { closeServices, openServices } from '#support/fixtures/open-services.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { installFakeFetch } from '#support/providers/fake-fetch.ts'

let failureCount = 0

vi.mock(import('#store/store.ts'), async loadOriginal => {
  const original = await loadOriginal()
  return {
    ...original,
    createStore(parts) {
      if (failureCount === 0) return original.createStore(parts)
      failureCount -= 1
      throw new Error('Failed to fetch dynamically imported module')
    },
  }
})

afterEach(async () => {
  await closeServices()
  vi.unstubAllGlobals()
})

it('D31 shows no draft of the previous applicant when the store could not be loaded at the sign-in', async () => {
  installFakeFetch(() => ({}))
  const first = await openServices()
  await first.session.begin({ token: makeToken({ applicantId: 'ada' }), draftKey: 'secret of ada' })
  const { drafts } = await first.openStore()
  await drafts.update('app-1', () => newDraft({ values: firstPassport, tab: 'NicData' }))

  const second = await openServices()
  failureCount = 1
  await second.session.begin({ token: makeToken({ applicantId: 'ben' }), draftKey: 'secret of ben' })
  expect(failureCount).toBe(0)
  expect(await (await second.openStore()).drafts.all()).toEqual([])
  expect(await drafts.all()).toHaveLength(1)
})

const busy = { status: 503, json: { statusCode: 503, reason: 'busy', message: 'busy' } }
const refused = { status: 401, json: { statusCode: 401, message: 'no' } }

it.each([
  ['has no answer', 'no connection', 'notice.serviceUnavailable', 'signed-in'],
  ['gets the answer that the service is busy', busy, 'notice.busy', 'signed-in'],
  ['is refused', refused, 'notice.signIn', 'signed-out'],
] as const)(
  'S82 asks the applicant to sign in again only when the session has ended: the refresh %s',
  async (_, answer, notice, state) => {
    installFakeFetch(({ url }) => (url.endsWith('/refresh-token') ? answer : refused))
    const { session, call, notices } = await openServices(createFakeDevice(), '/procedure')
    await session.begin({ token: makeToken({ applicantId: 'eve' }) })
    expect(await call('createApplication', {}, { key: 'k' })).toMatchObject({ ok: false })
    expect(notices.state().last).toMatchObject({ message: { key: notice } })
    expect(session.state().kind).toBe(state)
  },
)
