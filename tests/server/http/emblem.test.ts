import { afterEach, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

const image = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>')

let server: TestServer
afterEach(() => server.close())

it('sends the emblem of the configuration under a path that changes with it (NAV28)', async () => {
  server = await startTestServer({
    env: { ISSUER_EMBLEM: `data:image/svg+xml;base64,${image.toString('base64')}` },
  })
  const path = await emblemPath(server)
  expect(path).toMatch(/^\/emblem-[\w-]{12}\.svg$/)
  const response = await server.app.inject({ method: 'GET', url: path ?? '' })
  expect(response.statusCode).toBe(200)
  expect(response.headers['content-type']).toBe('image/svg+xml; charset=utf-8')
  expect(response.headers['cache-control']).toContain('immutable')
  expect(response.rawPayload).toEqual(image)
  await server.close()
  server = await startTestServer({ env: { ISSUER_EMBLEM: 'data:image/png;base64,iVBORw==' } })
  const otherPath = await emblemPath(server)
  expect(otherPath).toMatch(/^\/emblem-[\w-]{12}\.png$/)
  expect(otherPath?.split('.')[0]).not.toBe(path?.split('.')[0])
})

it('names no emblem when the configuration has none (NAV28)', async () => {
  server = await startTestServer()
  expect(await emblemPath(server)).toBeUndefined()
})

async function emblemPath({ app }: TestServer): Promise<string | undefined> {
  const response = await app.inject({ method: 'GET', url: '/api/v1/version' })
  const { data } = response.json<{ data: { issuer: { emblem?: string } } }>()
  return data.issuer.emblem
}
