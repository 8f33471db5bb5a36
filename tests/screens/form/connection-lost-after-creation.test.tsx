// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
let portal: Portal

afterEach(() => portal.close())

it('D33 a form that was started offline stays open when the connection is lost right after the server has created its application', async () => {
  let connection: 'for reads' | 'until the creation' | 'lost' = 'for reads'
  portal = await openPortal({
    path: '/procedure',
    answer({ method, url }) {
      if (connection === 'lost') return 'no connection'
      // The device caches the empty list.
      if (method === 'GET' && url.includes('/applications?'))
        return connection === 'for reads' ? { json: { data: [] } } : 'no connection'
      if (method !== 'POST' || !url.endsWith('/applications')) return undefined
      if (connection === 'for reads') return 'no connection'
      connection = 'lost'
      return { json: { data: { id: 'app-1', applicationNumber: 'PP-1' } } }
    },
  })
  await portal.pressNewApplication()
  await portal.heading(t('tab.GeneralData'))
  await portal.see(() => expect(portal.main().querySelector('[name=travelDestination]')).not.toBeNull())
  portal.answer('travelDestination', 'Gabon')
  await portal.device.advance(1_000)

  connection = 'until the creation'
  await portal.seeAsTimePasses(() => expect(location.pathname).toBe('/form/app-1/PP-1/GeneralData'))
  await portal.see(() =>
    expect(portal.main().querySelector('[name=travelDestination]')).toHaveProperty('value', 'Gabon'),
  )

  await portal.router.navigate({ to: '/procedure' })
  await portal.see(() => expect(portal.main().textContent).toContain('PP-1'))
  expect(portal.main().textContent).not.toContain(t('procedure.empty'))
})
