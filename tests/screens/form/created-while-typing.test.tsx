// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
let portal: Portal

afterEach(() => portal.close())

it('a field keeps the focus while the server creates the application that was started offline (D33, WCAG 3.2.5)', async () => {
  let isConnected = false
  portal = await openPortal({
    path: '/procedure',
    answer({ method, url }) {
      // Later, the default list has the application that the server creates.
      if (!isConnected && method === 'GET' && url.includes('/applications?')) return { json: { data: [] } }
      if (method !== 'POST' || !url.endsWith('/applications')) return undefined
      return isConnected ? { json: { data: { id: 'app-1', applicationNumber: 'PP-1' } } } : 'no connection'
    },
  })
  await portal.pressNewApplication()
  await portal.heading(t('tab.GeneralData'))
  await portal.see(() => expect(document.activeElement?.id).toBe('heading'))
  await portal.see(() => expect(portal.named('travelDestination')).not.toBeNull())
  portal.type('travelDestination', 'Gab')
  expect(location.pathname).toContain('/form/local-')

  isConnected = true
  await portal.seeAsTimePasses(() => expect(location.pathname).toBe('/form/app-1/PP-1/GeneralData'))
  await portal.see(() => expect(portal.main().textContent).toContain('PP-1'))
  expect(document.activeElement).toBe(portal.named('travelDestination'))
})
