import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

/** Not a literal in `import`: the worker has other types than the tests. */
const workerFile = fileURLToPath(new URL('../../sw/worker.ts', import.meta.url))

class WorkerEvent extends Event {}
type Handle = (event: unknown) => void

const origin = 'https://portal.test'
const files = [
  { url: 'index.html', revision: '1' },
  { url: 'assets/start-CU7KAXuW.js', revision: null },
]
let listeners: Map<string, Handle[]>
let requested: string[]

/** A method of the caches in a browser that refuses the call. */
function refuse(name: string) {
  return () => Promise.reject(new DOMException('The storage refuses this.', name))
}

/** Starts the service worker with these caches, on a device with a connection. */
async function startWorker(caches: object) {
  vi.resetModules()
  listeners = new Map()
  requested = []
  const location = new URL(`${origin}/sw.js`)
  const addEventListener = (type: string, handle: Handle) =>
    listeners.set(type, [...(listeners.get(type) ?? []), handle])
  const fetch = async (request: Request | string) => {
    const url = typeof request === 'string' ? request : request.url
    requested.push(new URL(url).pathname)
    return new Response(
      JSON.stringify({ data: { data: [{ code: 'CE', name: 'Centre', departments: [] }] } }),
      {
        headers: { 'content-type': 'application/json', date: 'Mon, 15 Jun 2026 09:00:00 GMT' },
      },
    )
  }
  vi.stubGlobal('location', location)
  vi.stubGlobal('caches', caches)
  vi.stubGlobal('fetch', fetch)
  vi.stubGlobal('FetchEvent', WorkerEvent)
  vi.stubGlobal('ExtendableEvent', WorkerEvent)
  vi.stubGlobal('registration', { scope: `${origin}/` })
  vi.stubGlobal('addEventListener', addEventListener)
  vi.stubGlobal('self', Object.assign(globalThis, { listedFiles: files, __WB_DISABLE_DEV_LOGS: true }))
  await import(/* @vite-ignore */ workerFile)
}

/** The worker's answer to this request of a page. */
async function answerOf(path: string, mode = 'cors'): Promise<Response> {
  const request = new Request(origin + path)
  Object.defineProperty(request, 'mode', { value: mode })
  return new Promise((resolve, reject) => {
    const event = Object.assign(new WorkerEvent('fetch'), {
      request,
      respondWith: (answer: Promise<Response>) => void answer.then(resolve, reject),
      waitUntil: (work: Promise<unknown>) => void work.catch(() => undefined),
    })
    for (const handle of listeners.get('fetch') ?? []) handle(event)
  })
}

beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue())
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

describe('the service worker', () => {
  it.each([
    ['a page', '/procedure', 'navigate'],
    ['a file of the shell', '/assets/start-CU7KAXuW.js', 'cors'],
    ['a list', '/api/v1/applications/countries?lg=fr', 'cors'],
  ])('lets the server answer %s when the browser cannot open its caches (D35)', async (_name, path, mode) => {
    const fail = refuse('UnknownError')
    await startWorker({ open: fail, match: fail, keys: fail, has: fail, delete: fail })
    const answer = await answerOf(path, mode)
    expect(answer.status).toBe(200)
    expect(requested).toContain(path.split('?')[0])
  })

  it('gives the places of the home country to the page also when the disk is full (D34, D35)', async () => {
    const cache = { match: async () => undefined, put: refuse('QuotaExceededError') }
    await startWorker({ open: async () => cache })
    const answer = await answerOf('/api/v1/dictionary/home-places?lg=fr')
    expect(answer.status).toBe(200)
    expect(requested).toEqual(['/api/v1/dictionary/home-places'])
  })

  it('caches the lists of its own origin when the build has an empty VITE_API_ORIGIN, as in .env.example (D35)', async () => {
    vi.stubEnv('VITE_API_ORIGIN', '')
    const cached: string[] = []
    const put = async (request: Request | string) =>
      void cached.push(typeof request === 'string' ? request : request.url)
    await startWorker({ open: async () => ({ match: async () => undefined, put }) })
    void answerOf('/api/v1/dictionary/home-places?lg=fr')
    await vi.waitFor(() => expect(cached).toContain(`${origin}/api/v1/dictionary/regions?lg=fr`))
  })
})
