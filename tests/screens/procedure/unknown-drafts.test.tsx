// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { deviceUseStorageKey } from '#contract/codes.ts'
import { formatMoment } from '#i18n/format-date.ts'
import { newDraft } from '#store/draft.ts'
import { minorWithRepresentative } from '#support/data/applicants.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { holdAnswer } from '#support/providers/fake-fetch.ts'
import { textsOf } from '#support/data/texts.ts'
import { settle } from '#support/settle.ts'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

type Server = {
  /** The ids of the applications that the server knows. */
  ids: string[]
  state: string
  /** False: the server answers 503, which says nothing about an application. */
  isReachable: boolean
  /** Holds the answer with the list of countries. */
  countries?: ReturnType<typeof holdAnswer>
}

/** Opens the list of applications with one draft on the device. */
async function openList(given: Partial<Server>, applicationId = 'app-1') {
  const server: Server = { ids: [], state: 'NEW', isReachable: true, ...given }
  portal = await openPortal({
    path: '/procedure',
    answer: request =>
      request.url.includes('/applications/countries') && server.countries
        ? server.countries.hold({ json: { data: [] } })
        : answer(server, request),
  })
  await saveDraft(applicationId)
  await portal.heading(t('procedure.heading'))
  return server
}

async function saveDraft(applicationId: string) {
  const draft = newDraft({ values: minorWithRepresentative, tab: 'ParentData' })
  const saved = await portal.store.drafts.update(applicationId, () => draft)
  expect(saved).toMatchObject({ kind: 'saved' })
}

function answer({ ids, state, isReachable }: Server, { url, method }: { url: string; method: string }) {
  const path = new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')
  if (path !== '/applications') return undefined
  if (!isReachable) return { status: 503, json: { statusCode: 503 } }
  if (method === 'POST') return { json: { data: { id: 'app-2', applicationNumber: 'PP-2' } } }
  return { json: { data: ids.map(id => ({ id, applicationNumber: `PP-${id}`, currentState: state })) } }
}

function section(): HTMLElement | undefined {
  return [...portal.main().querySelectorAll('section')].find(each =>
    each.textContent?.includes(t('unknown.heading')),
  )
}

async function seeSection(): Promise<HTMLElement> {
  await portal.see(() => expect(section()).toBeDefined())
  return section() ?? portal.main()
}

/** Discards the draft ten minutes after it was saved, and waits until the list shows the revision that the store then adds. */
async function discardDraft() {
  await seeSection()
  portal.device.sleep(600_000)
  const time = formatMoment(new Date(portal.device.now()).toISOString(), 'fr')
  await portal.store.drafts.update('app-1', () => undefined)
  await portal.see(() => expect(section()?.textContent).toContain(t('unknown.savedAt', { time })))
}

function listReads() {
  return portal.requests.filter(({ method, url }) => method === 'GET' && url.includes('/applications?'))
}

describe('a draft of an application that the server does not know', () => {
  it('is listed with the name in its answers when the list has no such application (D63)', async () => {
    await openList({})
    const { textContent } = await seeSection()
    expect(textContent).toContain(minorWithRepresentative.surname)
    expect(portal.main().textContent).not.toContain(t('procedure.empty'))
  })

  it('is listed when its address leads back to the list (D63)', async () => {
    await openList({})
    await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
    await portal.see(() => expect(location.pathname).toBe('/procedure'))
    await seeSection()
  })

  it('is not listed when the server knows the application (D63)', async () => {
    await openList({ ids: ['app-1'] })
    await portal.see(() => expect(portal.main().textContent).toContain('PP-app-1'))
    expect(section()).toBeUndefined()
  })

  it('can be downloaded, but a kiosk neither offers nor advises it: the file would stay for the next applicant (D38, D63)', async () => {
    await openList({ ids: ['app-9'] })
    const labels = () => [...(section()?.querySelectorAll('button') ?? [])].map(each => each.textContent)
    await portal.see(() => expect(labels()).toEqual([t('unknown.download'), t('unknown.delete')]))
    expect(section()?.textContent).toContain(t('unknown.openExists'))
    portal.device.saveText(deviceUseStorageKey, 'kiosk:3')
    await portal.router.navigate({ to: '/help' })
    await portal.router.navigate({ to: '/procedure' })
    await portal.see(() => expect(labels()).toEqual([t('unknown.delete')]))
    expect(section()?.textContent).not.toContain(t('unknown.openExists'))
  })

  it('is not listed when the application is not created yet (D33)', async () => {
    await openList({}, 'local-1')
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.noNumber')))
    expect(section()).toBeUndefined()
  })

  it('is shown as an application without a number when it is saved while the list is open (D33)', async () => {
    portal = await openPortal({
      path: '/procedure',
      answer: request => answer({ ids: [], state: 'NEW', isReachable: true }, request),
    })
    await portal.see(() => expect(portal.main().textContent).toContain(t('procedure.empty')))
    await saveDraft('local-1')
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.noNumber')))
  })

  it('is not listed while the list comes from this device, and is listed when the server answers (D63)', async () => {
    const server = await openList({ ids: ['app-9'], isReachable: true }, 'local-1')
    await portal.see(() => expect(portal.main().textContent).toContain('PP-app-9'))
    server.isReachable = false
    const readsBefore = listReads().length
    await saveDraft('app-1')
    await portal.see(() => expect(listReads().length).toBeGreaterThan(readsBefore))
    expect(section()).toBeUndefined()
    server.isReachable = true
    await portal.router.navigate({ to: '/mobile' })
    await portal.router.navigate({ to: '/procedure' })
    await seeSection()
  })

  it('starts a new application with its answers, once (D63 D33)', async () => {
    const server = await openList({})
    await seeSection()
    portal.button(t('unknown.restart')).click()
    portal.button(t('unknown.restart')).click()
    server.ids = ['app-2']
    await portal.see(() => expect(location.pathname).toBe('/form/app-2/PP-2/ParentData'))
    const kept = await portal.store.drafts.all()
    expect(kept.map(({ applicationId }) => applicationId)).toEqual(['app-2'])
    expect(kept[0]?.draft.values).toMatchObject({ surname: minorWithRepresentative.surname })
    const created = portal.requests.filter(
      ({ method, url }) => method === 'POST' && url.endsWith('/applications'),
    )
    expect(created).toHaveLength(1)
  })

  it('starts a new application for the same person (D63, LST14)', async () => {
    const server = await openList({})
    await portal.store.beneficiaries.save('app-1', 'child')
    await seeSection()
    portal.button(t('unknown.restart')).click()
    server.ids = ['app-2']
    await portal.see(() => expect(location.pathname).toBe('/form/app-2/PP-2/ParentData'))
    expect(await portal.store.beneficiaries.read('app-2')).toBe('child')
  })

  it('starts no second application beside an open one (LST07)', async () => {
    await openList({ ids: ['app-9'] })
    const { textContent } = await seeSection()
    expect(textContent).toContain(t('unknown.openExists'))
    expect(() => portal.button(t('unknown.restart'))).toThrow()
  })

  it('is downloaded as a text with the labels of the form (D63)', async () => {
    await openList({})
    await seeSection()
    const files: { file: Blob; name: string }[] = []
    portal.device.download = (file, name) => void files.push({ file, name })
    portal.button(t('unknown.download')).click()
    await portal.see(() => expect(files).toHaveLength(1))
    expect(files[0]?.name).toMatch(/\.txt$/)
    expect(files[0]?.file.type).toBe('text/plain;charset=utf-8')
    const text = (await files[0]?.file.text()) ?? ''
    expect(text).toContain(t('tab.PersonData'))
    expect(text).toContain(
      t('procedure.answerLine', { label: t('field.surname'), value: minorWithRepresentative.surname }),
    )
    expect(text).toContain(
      t('procedure.answerLine', {
        label: t('field.reprSurname'),
        value: minorWithRepresentative.reprSurname,
      }),
    )
  })

  it('is not downloaded when the applicant logs out while the texts for the file load (D31, D63)', async () => {
    const countries = holdAnswer()
    await openList({ countries })
    await seeSection()
    portal.button(t('unknown.download')).click()
    await portal.see(() => expect(countries.isHeld()).toBe(true))
    await portal.services.session.logOut()
    countries.release()
    await settle()
    expect(portal.device.downloads).toEqual([])
  })

  it('is deleted only after the applicant has agreed (D63)', async () => {
    await openList({})
    await seeSection()
    portal.button(t('unknown.delete')).click()
    await portal.see(() => expect(portal.button(t('unknown.deleteNo'))).toBeTruthy())
    portal.button(t('unknown.deleteNo')).click()
    await portal.see(() => expect(() => portal.button(t('unknown.deleteNo'))).toThrow())
    expect(await portal.store.drafts.all()).toHaveLength(1)

    portal.button(t('unknown.delete')).click()
    await portal.see(() => expect(portal.button(t('unknown.deleteYes'))).toBeTruthy())
    portal.button(t('unknown.deleteYes')).click()
    await portal.see(() => expect(section()).toBeUndefined())
    expect(await portal.store.drafts.all()).toEqual([])
  })

  it('stays when the storage does not delete it: a notice says so, and the dialog closes (D63)', async () => {
    await openList({})
    await seeSection()
    const remove = vi.spyOn(portal.services.sync, 'remove').mockResolvedValue(false)
    portal.button(t('unknown.delete')).click()
    await portal.see(() => expect(portal.button(t('unknown.deleteYes'))).toBeTruthy())
    portal.button(t('unknown.deleteYes')).click()
    await portal.see(() =>
      expect(portal.notices.state().last?.message).toEqual({ key: 'procedure.notDeleted' }),
    )
    await portal.see(() => expect(() => portal.button(t('unknown.deleteYes'))).toThrow())
    expect(section()?.textContent).toContain(minorWithRepresentative.surname)
    remove.mockRestore()
  })

  it('is listed when only its revisions are left: a confirmation discards the draft if the server gives no version (D63)', async () => {
    const server = await openList({})
    await discardDraft()
    expect(section()?.textContent).toContain(minorWithRepresentative.surname)
    portal.button(t('unknown.restart')).click()
    server.ids = ['app-2']
    await portal.see(() => expect(location.pathname).toMatch('/form/app-2/PP-2/'))
    const kept = await portal.store.drafts.all()
    expect(kept.map(({ draft }) => draft.values.surname)).toEqual([minorWithRepresentative.surname])
  })

  it('is deleted for good when only its revisions are left (D63)', async () => {
    await openList({})
    await discardDraft()
    portal.button(t('unknown.delete')).click()
    await portal.see(() => expect(portal.button(t('unknown.deleteYes'))).toBeTruthy())
    portal.button(t('unknown.deleteYes')).click()
    await portal.see(() => expect(section()).toBeUndefined())
    expect(await portal.store.revisions('app-1')).toEqual([])
  })
})
