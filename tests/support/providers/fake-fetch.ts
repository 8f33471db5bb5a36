import { vi } from 'vitest'

export type FakeRequest = { method: string; url: string; headers: Headers; body: unknown }
type FakeResponse =
  | { status?: number; json?: unknown; text?: string; redirected?: boolean }
  | 'no line'
  | 'hangs'

/** Replaces `fetch`: records every request and responds with `answer`. `vi.unstubAllGlobals` removes it. */
export function installFakeFetch(answer: (asked: FakeRequest) => FakeResponse): FakeRequest[] {
  const asked: FakeRequest[] = []
  vi.stubGlobal('fetch', async (url: string, init: RequestInit = {}) => {
    const request = {
      method: init.method ?? 'GET',
      url,
      headers: new Headers(init.headers),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
    }
    asked.push(request)
    const given = answer(request)
    if (given === 'hangs') return new Promise<Response>(() => undefined)
    if (given === 'no line') throw new TypeError('Failed to fetch')
    const response = new Response(given.text ?? JSON.stringify(given.json ?? {}), {
      status: given.status ?? 200,
    })
    if (given.redirected) Object.defineProperty(response, 'redirected', { value: true })
    return response
  })
  return asked
}
