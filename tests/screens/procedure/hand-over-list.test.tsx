// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest'
import { newDraft } from '#store/draft.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { installFailingStorage, removeFailingStorage } from '#support/fixtures/portal-storage.ts'
import { holdAnswer } from '#support/providers/fake-fetch.ts'
import { settle } from '#support/settle.ts'

const t = textsOf('fr')
let portal: Portal
afterEach(async () => {
  await portal.close()
  removeFailingStorage()
})

it('shows no QR code for another phone when the draft cannot be sent, also before the page knows its drafts (OFF17, D38)', async () => {
  const version = holdAnswer()
  portal = await openPortal({
    path: '/procedure',
    answer({ method, url }) {
      // The sync knows its drafts only when it knows what the server accepts.
      if (url.endsWith('/version'))
        return version.hold({ json: { data: { version: '1', features: ['drafts'] } } })
      if (method === 'POST' && url.includes('/app-1/data')) return { status: 503, json: { statusCode: 503 } }
      return undefined
    },
  })
  await portal.heading(t('procedure.heading'))
  await portal.store.drafts.update('app-1', () => newDraft({ values: firstPassport, tab: 'PersonData' }))
  expect(portal.services.sync.list()).toEqual([])
  await portal.see(() => portal.button(t('handOver.button')).click())
  version.release()
  await portal.see(() => expect(portal.notices.state().last?.message).toEqual({ key: 'handOver.failed' }))
  expect(document.querySelector('dialog svg[role=img]')).toBeNull()
})

it.each([
  ['the list', '/procedure'],
  ['the form', '/form/app-1/PP-1/PersonData'],
])(
  'shows no QR code in %s while a server that was restored from a backup does not say what it has (OFF17, D62)',
  async (_name, path) => {
    portal = await openPortal({
      path: '/help',
      answer({ method, url }) {
        if (url.endsWith('/version'))
          return { json: { data: { version: '1', features: ['drafts'], epoch: 'e2' } } }
        const isRead = url.endsWith('/app-1/data') && method === 'GET'
        return isRead ? { status: 503, json: { statusCode: 503 } } : undefined
      },
    })
    const base = { values: firstPassport, additionalData: '', version: 4, epoch: 'e1', at: 1 }
    const draft = newDraft({ values: firstPassport, tab: 'PersonData', base })
    await portal.store.drafts.update('app-1', () => draft)
    await portal.router.navigate({ href: path })
    await portal.see(() => portal.button(t('handOver.button')).click())
    await portal.see(() => expect(portal.notices.state().last?.message).toEqual({ key: 'handOver.failed' }))
    expect(document.querySelector('dialog svg[role=img]')).toBeNull()
  },
)

it('shows no QR code for another phone when only the page has answers, as where storage is forbidden (OFF17, D74)', async () => {
  installFailingStorage().trouble = 'open is refused'
  portal = await openPortal({
    path: '/form/app-1/PP-1/PersonData',
    answer({ method, url }) {
      if (url.endsWith('/version')) return { json: { data: { version: '1', features: ['drafts'] } } }
      if (method === 'POST' && url.includes('/app-1/data')) return { status: 503, json: { statusCode: 503 } }
      return undefined
    },
  })
  await portal.heading(t('tab.PersonData'))
  portal.type('surname', 'Mbock')
  await portal.router.navigate({ to: '/procedure' })
  await portal.heading(t('procedure.heading'))
  await portal.see(() => portal.button(t('handOver.button')).click())
  await portal.see(() => expect(portal.notices.state().last?.message).toEqual({ key: 'handOver.failed' }))
  expect(document.querySelector('dialog svg[role=img]')).toBeNull()
})

it('says nothing about the QR code for another phone when the applicant has logged out since the press (OFF17, D31)', async () => {
  const sent = holdAnswer()
  portal = await openPortal({
    path: '/form/app-1/PP-1/PersonData',
    answer({ method, url }) {
      if (url.endsWith('/version')) return { json: { data: { version: '1', features: ['drafts'] } } }
      if (method !== 'POST' || !url.includes('/app-1/data')) return undefined
      return sent.hold({ status: 503, json: { statusCode: 503 } })
    },
  })
  await portal.heading(t('tab.PersonData'))
  await portal.see(() => portal.type('surname', 'Mbock'))
  portal.button(t('handOver.button')).click()
  await portal.see(() => expect(sent.isHeld()).toBe(true))
  await portal.services.session.logOut()
  sent.release()
  await portal.device.advance(1_000)
  await settle()
  expect(portal.notices.state().last?.message).toEqual({ key: 'notice.loggedOut' })
})
