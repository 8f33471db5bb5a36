// @vitest-environment happy-dom
// Imported before Dexie, because Dexie looks for the browser's IndexedDB when it is imported.
import 'fake-indexeddb/auto'
import { afterEach, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { toApplicationId } from '#contract/id-text.ts'
import { formStartQuery } from '#screens/form/form-start.ts'
import { newDraft } from '#store/draft.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { createWaitingLocks } from '#support/providers/waiting-locks.ts'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

it('D32 a form that is opened again shows what another device has saved since its first read began', async () => {
  const later = { respond: () => {} }
  const released = new Promise<void>(resolve => (later.respond = resolve))
  const earlier = { ...toWire(firstPassport), additionalData: '', version: 4 }
  let reads = 0
  portal = await openPortal({
    path: '/help',
    answer({ method, url }) {
      if (url.endsWith('/version')) return { json: { data: { version: '1', features: ['drafts'] } } }
      if (method !== 'GET' || !url.endsWith('/applications/app-1/data')) return undefined
      reads += 1
      if (reads === 1) return released.then(() => ({ json: { data: earlier } }))
      return { json: { data: { ...earlier, surname: 'Newer', version: 5 } } }
    },
  })
  portal.device.withLock = createWaitingLocks()
  const base = { version: 4, additionalData: '', values: firstPassport, at: 1 }
  await portal.store.drafts.update('app-1', () =>
    newDraft({ values: firstPassport, tab: 'PersonData', base }),
  )
  const open = () => portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
  await open()
  await portal.see(() => expect(reads).toBe(1))
  await portal.router.navigate({ href: '/procedure' })
  await portal.heading(t('procedure.heading'))
  const services = await portal.services.openQueries()
  const { queryKey } = formStartQuery(services, toApplicationId('app-1'))
  await portal.see(() => expect(services.queryClient.getQueryData(queryKey)).toBeUndefined())
  await open()
  await portal.see(() => expect(portal.named('surname').value).toBe(firstPassport.surname))
  later.respond()
  await portal.see(async () => {
    await portal.device.advance(300)
    expect(portal.named('surname').value).toBe('Newer')
  })
})
