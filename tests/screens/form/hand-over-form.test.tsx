// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { holdAnswer } from '#support/providers/fake-fetch.ts'
import { createWaitingLocks } from '#support/providers/waiting-locks.ts'

const t = textsOf('fr')
let portal: Portal

afterEach(() => {
  vi.restoreAllMocks()
  return portal.close()
})

it('the QR code for another phone opens the list while the address has the local id, then the form (OFF17, D33)', async () => {
  let isConnected = false
  const list = holdAnswer()
  portal = await openPortal({
    path: '/procedure',
    answer({ method, url }) {
      if (url.endsWith('/version')) return { json: { data: { version: '1', features: ['drafts'] } } }
      // The address of the form gets the id of the server only with the list that has the application.
      if (method === 'GET' && url.includes('/applications?'))
        return isConnected ? list.hold({ json: listOfOne }) : { json: { data: [] } }
      if (method !== 'POST') return undefined
      if (!isConnected) return 'no connection'
      return url.endsWith('/applications')
        ? { json: { data: { id: 'app-1', applicationNumber: 'PP-1' } } }
        : undefined
    },
  })
  portal.device.withLock = createWaitingLocks()
  const urlOf = vi.spyOn(portal.device, 'urlOf')
  const lastPath = () => urlOf.mock.lastCall?.[0]
  await portal.pressNewApplication()
  await portal.heading(t('tab.GeneralData'))
  isConnected = true
  await portal.see(() => portal.button(t('handOver.button')).click())
  await portal.see(() => expect(document.querySelector('dialog svg[role=img]')).not.toBeNull())
  expect(lastPath()).toMatch(/^\/procedure\?/)
  list.release()
  await portal.see(() => expect(lastPath()).toMatch(/^\/form\/app-1\/PP-1\/GeneralData\?/))
})

const listOfOne = { data: [{ id: 'app-1', applicationNumber: 'PP-1', currentState: 'NEW' }] }
