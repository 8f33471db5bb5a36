// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { emptyForm } from '#contract/application.ts'
import { newDraft } from '#store/draft.ts'
import { firstPassport, minorWithRepresentative } from '#support/data/applicants.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

/** Another phone has deleted the application: the server keeps its row without answers. */
function answer({ url, method }: { url: string; method: string }) {
  const path = new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')
  const features = ['drafts', 'deleteApplication']
  if (path === '/version') return { json: { data: { version: '1', time: '2026-06-15T09:00:00Z', features } } }
  if (path === '/applications' && method === 'GET')
    return { json: { data: [{ id: 'app-1', applicationNumber: 'PP-1', currentState: 'DELETED' }] } }
  if (path !== '/applications/app-1/data') return undefined
  if (method === 'GET') return { json: { data: { ...emptyForm(), version: 1, currentState: 'DELETED' } } }
  return { status: 409, json: { statusCode: 409, data: { statusCode: 409 }, reason: 'wrong-state' } }
}

const base = { version: 1, additionalData: '', values: firstPassport, at: 0 }

describe('answers of an application that another phone has deleted', () => {
  it.each([
    ['were not sent', minorWithRepresentative],
    ['were sent', firstPassport],
  ])(
    'stay visible, with buttons to restart, download and delete them, when they %s (LST16, D63)',
    async (_, values) => {
      portal = await openPortal({ path: '/procedure', answer })
      const draft = newDraft({ values, tab: 'ParentData', base })
      await portal.store.drafts.update('app-1', () => draft)
      await portal.services.sync.flush('app-1')
      portal.services.sync.refresh('app-1')
      await portal.see(() =>
        expect(portal.requests.filter(({ url }) => url.endsWith('/app-1/data'))).not.toEqual([]),
      )
      await portal.see(() => expect(portal.main().textContent).toContain(t('unknown.heading')))
      await portal.see(async () =>
        expect((await portal.store.drafts.read('app-1'))?.stuck).toEqual({ kind: 'gone' }),
      )
      expect((await portal.store.drafts.read('app-1'))?.values).toEqual(values)
      expect(portal.main().textContent).toContain(values.surname)
      for (const key of ['unknown.restart', 'unknown.download', 'unknown.delete'] as const)
        expect(portal.button(t(key))).toBeTruthy()
      expect(portal.notices.state().last?.message).not.toEqual({ key: 'notice.overruled' })
    },
  )
})
