// @vitest-environment happy-dom
import 'fake-indexeddb/auto'
import { afterEach, expect, it, vi } from 'vitest'
import { requireSynced } from '#app/require-synced.ts'
import { emptyForm } from '#contract/application.ts'
import { toApplicationId } from '#contract/id-text.ts'
import { newDraft } from '#store/draft.ts'
import { makeToken } from '#support/data/access-token.ts'
import { closeServices, openServices } from '#support/fixtures/open-services.ts'
import { installFakeFetch } from '#support/providers/fake-fetch.ts'

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
