import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBrowser } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const ask = (officeId: string, lg: 'fr' | 'en') =>
  openBrowser(server).call('readOffice', { params: { officeId }, query: { lg } })

it('names an office in both languages to a kiosk without a session (OFF16)', async () => {
  const [french, english] = [await ask('3', 'fr'), await ask('3', 'en')]
  expect(french).toMatchObject({ kind: 'ok', body: { data: { name: expect.stringMatching(/\S/) } } })
  expect(english).toMatchObject({ kind: 'ok' })
  expect(english).not.toMatchObject({ body: french.kind === 'ok' ? french.body : {} })
})

it.each(['999999', 'x', '1e3'])('answers 404 for the unknown office %s (OFF16)', async officeId => {
  expect(await ask(officeId, 'fr')).toMatchObject({ kind: 'failed', status: 404 })
})
