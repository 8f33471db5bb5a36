// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
const features = { json: { data: { version: '1', features: ['drafts'] } } }
let portal: Portal
let connection: 'good' | 'lost for writes'
let saves: number

afterEach(() => portal.close())

const shown = () => portal.main().textContent
const destination = () => portal.main().querySelector<HTMLInputElement>('[name=travelDestination]')
const savedDraft = () => portal.store.drafts.read('app-1')

/** Deletes the database under the open page, as the browser does when its user clears the data of sites. */
async function emptyStorage() {
  await new Promise<void>((resolve, reject) => {
    const request = indexedDB.deleteDatabase('portal')
    request.addEventListener('success', () => resolve())
    request.addEventListener('error', () => reject(request.error ?? new Error('The database stays')))
  })
}

async function typeWithoutConnection() {
  connection = 'good'
  saves = 0
  portal = await openPortal({
    path: '/form/app-1/PP-1/GeneralData',
    answer({ method, url }) {
      if (url.endsWith('/version')) return features
      if (method !== 'POST' || !url.includes('/applications/app-1/data')) return undefined
      if (connection === 'lost for writes') return 'no connection'
      saves += 1
      return undefined
    },
  })
  await portal.see(() => expect(destination()).not.toBeNull())
  connection = 'lost for writes'
  portal.answer('travelDestination', 'Gabon')
  await portal.device.advance(1_000)
  await portal.see(async () => expect((await savedDraft())?.values.travelDestination).toBe('Gabon'))
}

it('saves unsent answers again when the browser has emptied the storage under the open form (D30)', async () => {
  await typeWithoutConnection()
  await emptyStorage()
  await portal.seeAsTimePasses(async () =>
    expect((await savedDraft())?.values.travelDestination).toBe('Gabon'),
  )
  await portal.see(() => expect(shown()).toContain(t('form.kept')))
})

it('sends answers when the connection is back, although the browser has emptied the storage before (D30, D31)', async () => {
  await typeWithoutConnection()
  await emptyStorage()
  connection = 'good'
  await portal.seeAsTimePasses(() => expect(saves).toBeGreaterThan(0))
})

it('saves the answers again, under the id of the server, when the storage is emptied after a start offline (D30, D33)', async () => {
  let isConnected = false
  let losesSaves = false
  portal = await openPortal({
    path: '/procedure',
    answer({ method, url }) {
      if (url.endsWith('/version')) return features
      if (!isConnected && method === 'GET' && url.includes('/applications?')) return { json: { data: [] } }
      if (losesSaves && method === 'POST' && url.includes('/data')) return 'no connection'
      if (method !== 'POST' || !url.endsWith('/applications')) return undefined
      return isConnected ? { json: { data: { id: 'app-1', applicationNumber: 'PP-1' } } } : 'no connection'
    },
  })
  await portal.pressNewApplication()
  await portal.heading(t('tab.GeneralData'))
  await portal.see(() => expect(destination()).not.toBeNull())
  portal.type('travelDestination', 'Gab')
  isConnected = true
  await portal.seeAsTimePasses(() => expect(location.pathname).toBe('/form/app-1/PP-1/GeneralData'))
  losesSaves = true
  portal.answer('travelDestination', 'Gabon')
  await portal.device.advance(3_000)
  await portal.see(async () => expect((await savedDraft())?.values.travelDestination).toBe('Gabon'))
  await emptyStorage()
  await portal.seeAsTimePasses(async () => {
    const saved = await portal.store.drafts.all()
    expect(saved.map(each => [each.applicationId, each.draft.values.travelDestination])).toEqual([
      ['app-1', 'Gabon'],
    ])
  })
})
