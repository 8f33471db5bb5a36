// @vitest-environment happy-dom
// Imported before Dexie, because Dexie looks for the browser's IndexedDB when it is imported.
import 'fake-indexeddb/auto'
import { afterEach, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { newDraft } from '#store/draft.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

let portal: Portal
afterEach(() => portal.close())

it('D32 D33 a form that waits for the server shows the answers that came to this device during the wait', async () => {
  const later = { respond: () => {} }
  const released = new Promise<void>(resolve => (later.respond = resolve))
  const data = { ...toWire(firstPassport), resAddressStreet: 'Of the server', additionalData: '', version: 4 }
  let reads = 0
  portal = await openPortal({
    path: '/form/app-1/PP-1/PersonData',
    answer({ method, url }) {
      if (url.endsWith('/version')) return { json: { data: { version: '1', features: ['drafts'] } } }
      if (method !== 'GET' || !url.endsWith('/applications/app-1/data')) return undefined
      reads += 1
      return released.then(() => ({ json: { data } }))
    },
  })
  await portal.see(() => expect(reads).toBe(1))
  // A form that was started without a connection becomes the server's open application: the sync moves its draft.
  const values = { ...firstPassport, resAddressStreet: 'Typed here' }
  await portal.store.drafts.update('app-1', () => newDraft({ values, tab: 'PersonData' }))
  later.respond()
  await portal.see(() => expect(portal.named('resAddressStreet')).not.toBeNull())
  // At the first sight, before any save: the applicant must not type over an answer that the form has not shown.
  expect(portal.named('resAddressStreet').value).toBe('Typed here')
})
