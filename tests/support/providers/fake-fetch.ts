import { vi } from 'vitest'

export type FakeRequest = {
  method: string
  url: string
  headers: Headers
  body: unknown
  signal?: AbortSignal | undefined
}
type Given =
  | {
      status?: number
      json?: unknown
      text?: string
      redirected?: boolean
      headers?: Record<string, string>
    }
  | 'no connection'
  | 'hangs'

/** A promise: the response comes when the test resolves it. */
type FakeResponse = Given | Promise<Given>

/**
 * Replaces `fetch`: responds with `answer`, and returns the list in which it records the requests, except one that is
 * aborted before it is sent. `vi.unstubAllGlobals` removes it.
 */
export function installFakeFetch(answer: (request: FakeRequest) => FakeResponse): FakeRequest[] {
  const requests: FakeRequest[] = []
  vi.stubGlobal('fetch', async (url: string, init: RequestInit = {}) => {
    const request = {
      method: init.method ?? 'GET',
      url,
      headers: new Headers(init.headers),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
      signal: init.signal ?? undefined,
    }
    init.signal?.throwIfAborted()
    requests.push(request)
    const given = await answer(request)
    if (given === 'hangs')
      return new Promise<Response>((_resolve, reject) =>
        init.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError'))),
      )
    if (given === 'no connection') throw new TypeError('Failed to fetch')
    // A response with one of these statuses cannot have a body, not even an empty text.
    const body =
      given.status === 204 || given.status === 304 ? null : (given.text ?? JSON.stringify(given.json ?? {}))
    const response = new Response(body, {
      status: given.status ?? 200,
      headers: given.headers ?? {},
    })
    if (given.redirected) Object.defineProperty(response, 'redirected', { value: true })
    return response
  })
  return requests
}

/** An answer that comes only when the test releases it. `isHeld`: whether a request waits for it, or has waited. */
export function holdAnswer() {
  const later = { respond: () => {} }
  const released = new Promise<void>(resolve => (later.respond = resolve))
  let isHeld = false
  return {
    isHeld: () => isHeld,
    release: () => later.respond(),
    async hold<Answer>(answer: Answer): Promise<Awaited<Answer>> {
      isHeld = true
      await released
      return await answer
    },
  }
}
