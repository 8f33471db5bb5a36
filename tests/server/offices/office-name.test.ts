import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBrowser } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const askName = (officeId: string, lg: 'fr' | 'en') =>
  openBrowser(server).call('readOffice', { params: { officeId }, query: { lg } })

it('names an office in the language of the call, without a session, as a kiosk needs it (OFF16)', async () => {
  const [french, english] = [await askName('3', 'fr'), await askName('3', 'en')]
  expect(french).toMatchObject({ kind: 'ok', body: { data: { name: expect.stringMatching(/\S/) } } })
  expect(english).toMatchObject({ kind: 'ok' })
  expect(english).not.toMatchObject({ body: french.kind === 'ok' ? french.body : {} })
})

it.each(['999999', 'x', '1e3'])(
  'answers 404 for %s, which is the id of no office (OFF16)',
  async officeId => {
    expect(await askName(officeId, 'fr')).toMatchObject({ kind: 'failed', status: 404 })
  },
)
