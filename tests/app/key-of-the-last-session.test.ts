// @vitest-environment happy-dom
import 'fake-indexeddb/auto'
import { afterEach, expect, it, vi } from 'vitest'
import { newDraft } from '#store/draft.ts'
import { makeToken } from '#support/data/access-token.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { closeServices, openServices } from '#support/fixtures/open-services.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { installFakeFetch } from '#support/providers/fake-fetch.ts'

afterEach(async () => {
  await closeServices()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const device = createFakeDevice()
// The database is that of all files of this process, and other files may have left drafts of their applicants.
const ada = crypto.randomUUID()
const ben = crypto.randomUUID()

function tokenOf(applicantId: string) {
  const iat = Math.floor(device.now() / 1_000)
  return makeToken({ applicantId, iat, exp: iat + 900 })
}

type ServerState = 'refuses' | 'is away'

/** Ada signs in and saves a draft. Later refreshes are answered as `server` says. */
async function saveDraftOfAda(server: () => ServerState): Promise<void> {
  installFakeFetch(({ url }) =>
    url.includes('refresh-token') && server() === 'refuses'
      ? { status: 401, json: { statusCode: 401 } }
      : 'no connection',
  )
  const page = await openServices(device)
  await page.session.begin({ token: tokenOf(ada), draftKey: 'secret of ada' })
  const { drafts } = await page.openStore()
  await drafts.update('app-1', () => newDraft({ values: firstPassport, tab: 'NicData' }))
}

it('D31 a start without the server does not continue as the previous applicant when the storage was full at the sign-in of the next one', async () => {
  let server: ServerState = 'refuses'
  await saveDraftOfAda(() => server)

  // Later Ada's cookie has expired, and Ben signs in on the same phone while its storage takes nothing.
  const page = await openServices(device)
  expect(await page.session.ready()).toMatchObject({ kind: 'signed-out' })
  const full = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
  })
  await page.session.begin({ token: tokenOf(ben), draftKey: 'secret of ben' })
  expect(page.session.state()).toMatchObject({ kind: 'signed-in', claims: { applicantId: ben } })
  full.mockRestore()

  server = 'is away'
  const restarted = await openServices(device)
  const started = restarted.session.ready()
  await device.advance(3_000)
  expect(await started).not.toMatchObject({ claims: { applicantId: ada } })
  expect(await (await restarted.openStore()).drafts.all()).toEqual([])
})

it('D31 a page that has read the key of a refused session does not open that session when another applicant has signed in in another tab', async () => {
  let server: ServerState = 'is away'
  await saveDraftOfAda(() => server)

  // The start reads the key for an offline session while the server refuses to refresh the session.
  server = 'refuses'
  const page = await openServices(device)
  await Promise.all([page.session.ready(), page.openStore().then(({ drafts }) => drafts.all())])
  expect(page.session.state()).toMatchObject({ kind: 'signed-out' })

  const beside = await openServices(device)
  await beside.session.begin({ token: tokenOf(ben), draftKey: 'secret of ben' })
  server = 'is away'
  const started = page.session.ready()
  await device.advance(3_000)
  expect(await started).not.toMatchObject({ claims: { applicantId: ada } })
  expect(await (await page.openStore()).drafts.all()).toEqual([])
})
