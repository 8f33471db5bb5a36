// @vitest-environment happy-dom
import { EventEmitter, once } from 'node:events'
import 'fake-indexeddb/auto'
import { afterEach, expect, it } from 'vitest'
import { createResponseCache } from '#app/response-cache.ts'
import { createNotices } from '#app/notices.ts'
import { createOnSessionEnd } from '#app/on-session-end.ts'
import { createBrowserDevice } from '#device/browser-device.ts'
import { createDurableTexts } from '#device/durable-texts.ts'
import { createDeviceUse, durableKeys, pendingLogoutKey } from '#store/device-use.ts'
import { createPendingWrites } from '#sync/pending-writes.ts'

afterEach(() => localStorage.clear())

const brokenStore = () => Promise.reject(new Error('The store cannot be loaded'))

/** A shared device whose log-out waits for the server. `whenWiped` resolves when the device has deleted its data. */
function openSharedDevice() {
  const replacedPages: string[] = []
  const browser = createBrowserDevice(durableKeys)
  const events = new EventEmitter()
  const device = {
    ...browser,
    replacePage: (address: string) => void replacedPages.push(address),
    wipe: async (...options: Parameters<typeof browser.wipe>) => {
      await browser.wipe(...options)
      events.emit('wiped')
    },
  }
  const deviceUse = createDeviceUse(device)
  deviceUse.choose(true)
  const endSession = createOnSessionEnd({
    device,
    deviceUse,
    language: { current: () => ({ language: 'fr' }) },
    notices: createNotices(device),
    openStore: brokenStore,
    queryClient: () => undefined,
    pendingWrites: createPendingWrites(device),
    responseCache: createResponseCache(brokenStore),
    serverInfo: { expire: () => undefined },
    session: () => ({ hasNewer: () => false }),
    goHome: async () => undefined,
  })
  return { device, deviceUse, endSession, replacedPages, whenWiped: once(events, 'wiped') }
}

/** Returns the text after a power cut, of a device whose localStorage was not written to the disk. */
async function readAfterPowerCut(key: string) {
  const texts = new Map<string, string>()
  const write = (name: string, text: string | undefined) =>
    void (text === undefined ? texts.delete(name) : texts.set(name, text))
  await createDurableTexts(durableKeys, { read: name => texts.get(name), write }).restored()
  return texts.get(key)
}

it('D64 a power cut after the wipe of a shared device does not lose the flag of a log-out that the server has not confirmed', async () => {
  const { device, endSession, whenWiped } = openSharedDevice()
  device.saveText(pendingLogoutKey, '1')
  await expect.poll(() => readAfterPowerCut(pendingLogoutKey)).toBe('1')
  const server = new EventEmitter()
  const ended = endSession('asked', once(server, 'answer')).catch(() => undefined)
  await whenWiped
  await expect.poll(() => readAfterPowerCut(pendingLogoutKey)).toBe('1')
  server.emit('answer')
  await ended
})

it('D38 a shared device stays shared when the answer of the server makes the browser delete all data and the tab is then closed at once', async () => {
  const { device, endSession, replacedPages, whenWiped } = openSharedDevice()
  const answered = whenWiped.then(() => localStorage.clear())
  await endSession('asked', answered).catch(() => undefined)
  expect(replacedPages).toEqual(['/?lg=fr&shared=1&left=asked'])
  expect(createDeviceUse(device).isShared()).toBe(true)
})
