import { fileURLToPath } from 'node:url'
import { afterEach, expect, it, vi } from 'vitest'

/** Not a literal in `import`, so that TypeScript does not check the worker with the types of the tests. */
const workerFile = fileURLToPath(new URL('../../sw/worker.ts', import.meta.url))

type Message = { type: string; part: string }
type Event = { source?: object; data?: Message; waitUntil: (work: Promise<unknown>) => void }

const origin = 'https://portal.test'
/** A page of the portal that sends a message. */
class Page extends EventTarget {}
const parts = new Map<string, Response>()

/** Loads the worker of a release whose list of files has only this one. Returns the function that sends it an event. */
async function startRelease(formFile: string) {
  vi.resetModules()
  const listeners = new Map<string, (event: Event) => void>()
  vi.stubGlobal('addEventListener', (type: string, handle: (event: Event) => void) =>
    listeners.set(type, handle),
  )
  Object.assign(globalThis, { listedFiles: [{ url: formFile, revision: null, part: 'form' }] })
  await import(/* @vite-ignore */ workerFile)
  return async (type: string, event: Omit<Event, 'waitUntil'> = {}) => {
    const work: Promise<unknown>[] = []
    listeners.get(type)?.({ ...event, waitUntil: each => void work.push(each) })
    await Promise.all(work)
  }
}

const absolute = (url: string) => new URL(url, origin).href

function stubWorkerScope(registration: object) {
  const cache = {
    match: async (url: string) => parts.get(absolute(url)),
    put: async (url: string, response: Response) => void parts.set(absolute(url), response),
    keys: async () => [...parts.keys()].map(url => ({ url })),
    delete: async ({ url }: { url: string }) => parts.delete(url),
  }
  for (const [name, value] of Object.entries({
    location: new URL(`${origin}/sw.js`),
    caches: { open: async () => cache, keys: async () => [] },
    clients: { claim: async () => undefined },
    Client: Page,
    fetch: async () => new Response('', { headers: { 'content-type': 'text/javascript' } }),
    registration,
    self: Object.assign(globalThis, { __WB_DISABLE_DEV_LOGS: true }),
  }))
    vi.stubGlobal(name, value)
}

afterEach(() => {
  parts.clear()
  vi.unstubAllGlobals()
})

it('the new release has its file of the part "form" in the cache when its worker waits already before the sign-in (OFF05, D36)', async () => {
  const registration: Record<string, unknown> = { scope: `${origin}/` }
  stubWorkerScope(registration)
  const sendToOld = await startRelease('assets/form-AAAAAAAA.js')
  const sendToNew = await startRelease('assets/form-BBBBBBBB.js')
  await sendToNew('install')
  const forwarded: Promise<void>[] = []
  // A message from one worker to another has the sending worker as its source.
  const postMessage = (data: Message) => void forwarded.push(sendToNew('message', { source: {}, data }))
  registration['waiting'] = { postMessage }
  await sendToOld('message', { source: new Page(), data: { type: 'KEEP', part: 'form' } })
  await Promise.all(forwarded)
  expect([...parts.keys()]).toContain(absolute('assets/form-AAAAAAAA.js'))
  await sendToNew('activate')
  expect([...parts.keys()]).toEqual([absolute('assets/form-BBBBBBBB.js')])
  expect(forwarded).toHaveLength(1)
})

it('the newest release has its file of the part "form" in the cache when its worker is installed while another one waits (OFF05, D36)', async () => {
  const registration: Record<string, unknown> = { scope: `${origin}/` }
  stubWorkerScope(registration)
  const sendToOld = await startRelease('assets/form-AAAAAAAA.js')
  const sendToWaiting = await startRelease('assets/form-BBBBBBBB.js')
  const sendToNewest = await startRelease('assets/form-CCCCCCCC.js')
  const forwarded: Promise<void>[] = []
  const workerOf = (send: typeof sendToOld) => ({
    postMessage: (data: Message) => void forwarded.push(send('message', { source: {}, data })),
  })
  await sendToWaiting('install')
  await sendToNewest('install')
  Object.assign(registration, { waiting: workerOf(sendToWaiting), installing: workerOf(sendToNewest) })
  await sendToOld('message', { source: new Page(), data: { type: 'KEEP', part: 'form' } })
  await Promise.all(forwarded)
  await sendToNewest('activate')
  expect([...parts.keys()]).toEqual([absolute('assets/form-CCCCCCCC.js')])
})
