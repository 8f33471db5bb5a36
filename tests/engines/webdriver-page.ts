import { until } from '#support/servers/portal.ts'
import type { EnginePage } from './engine-page.ts'

/**
 * Opens a page that is driven by W3C WebDriver. Each call but `reload` throws the driver's error message when it
 * fails.
 */
export async function openWebDriverSession(driver: string, capabilities: object): Promise<EnginePage> {
  await until('the WebDriver program to listen', async () =>
    (await fetch(`${driver}/status`).catch(() => undefined)) ? true : undefined,
  )
  const session = (await call(driver, 'POST', '/session', {
    capabilities: { alwaysMatch: capabilities },
  })) as Session // as the standard defines it
  const path = `/session/${session.sessionId}`
  const post = (name: string, body: object) => call(driver, 'POST', `${path}/${name}`, body)
  await post('window/rect', { width: 360, height: 640 })

  async function pressKeys(actions: object[]) {
    await post('actions', { actions: [{ type: 'key', id: 'keyboard', actions }] })
  }

  return {
    version: `WebKit ${session.capabilities.browserVersion}`,
    open: async url => void (await post('url', { url })),
    // While offline the driver reports a failed load.
    reload: async () => void (await post('refresh', {}).catch(() => undefined)),
    url: async () => String(await call(driver, 'GET', `${path}/url`)),
    evaluate: expression => post('execute/sync', { script: `return (${expression})`, args: [] }),
    async clickAt({ x, y }) {
      const actions = [
        { type: 'pointerMove', duration: 0, x, y },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ]
      await post('actions', {
        actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }],
      })
    },
    async replaceText(text) {
      await pressKeys([
        { type: 'keyDown', value: control },
        { type: 'keyDown', value: 'a' },
        { type: 'keyUp', value: 'a' },
        { type: 'keyUp', value: control },
      ])
      const keys = text === '' ? [deleteKey] : Array.from(text)
      await pressKeys(
        keys.flatMap(value => [
          { type: 'keyDown', value },
          { type: 'keyUp', value },
        ]),
      )
    },
    screenshot: async () => Buffer.from(String(await call(driver, 'GET', `${path}/screenshot`)), 'base64'),
    // The protocol does not report errors of the page.
    errors: () => [],
  }
}

type Session = { sessionId: string; capabilities: { browserVersion: string } }

/** WebDriver's code points for keys. */
const control = '\uE009'
const deleteKey = '\uE017'

async function call(driver: string, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(driver + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const { value } = await response.json()
  if (response.ok) return value
  throw new Error(`WebDriver ${path}: ${value?.error} ${value?.message}`)
}
