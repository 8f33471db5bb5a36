// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { emptyForm } from '#contract/application.ts'
import { toApplicationId } from '#contract/id-text.ts'
import { unloadWarning } from '#device/unload-warning.ts'
import { formStartQuery } from '#screens/form/form-start.ts'
import { newDraft } from '#store/draft.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
const features = { json: { data: { version: '1', features: ['drafts'] } } }
let portal: Portal
let disk: { isFull: boolean }

/** The applicant has typed, and neither the device nor the server could save it. */
beforeEach(async () => {
  let connection: 'good' | 'lost for writes' = 'good'
  disk = { isFull: false }
  portal = await openPortal({
    path: '/form/app-1/PP-1/GeneralData',
    answer({ method, url }) {
      if (url.endsWith('/version')) return features
      return method === 'POST' && connection === 'lost for writes' ? 'no connection' : undefined
    },
  })
  await portal.see(() => expect(destination()).not.toBeNull())
  connection = 'lost for writes'
  disk.isFull = true
  failWrites()
  portal.answer('travelDestination', 'Gabon')
  await portal.device.advance(1_000)
  await portal.see(() => expect(shown()).toContain(t('form.notKeptRescue')))
})

afterEach(() => {
  vi.restoreAllMocks()
  return portal.close()
})

const submitStatus = () => document.getElementById('submit-status')?.textContent
const shown = () => portal.main().textContent
const destination = () => portal.main().querySelector<HTMLInputElement>('[name=travelDestination]')

function failWrites() {
  const put: IDBObjectStore['put'] = Reflect.get(IDBObjectStore.prototype, 'put')
  vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function failing(
    this: IDBObjectStore,
    ...args: Parameters<typeof put>
  ) {
    if (disk.isFull && this.name === 'drafts')
      throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
    return Reflect.apply(put, this, args)
  })
}

async function openAgain() {
  await portal.router.navigate({ href: '/procedure' })
  await portal.heading(t('procedure.heading'))
  // TanStack Query drops the data of the first opening only in a later task.
  const services = await portal.services.openQueries()
  const { queryKey } = formStartQuery(services, toApplicationId('app-1'))
  await portal.see(() => expect(services.queryClient.getQueryState(queryKey)).toBeUndefined())
  await portal.router.navigate({ href: '/form/app-1/PP-1/GeneralData' })
  await portal.see(() => expect(destination()).toHaveProperty('value', 'Gabon'))
  expect(shown()).not.toContain(t('form.kept'))
  await portal.device.advance(1_000)
}

it('D30 a form that is opened again says that only this page has its answers', async () => {
  await openAgain()
  await portal.see(() => expect(shown()).toContain(t('form.notKeptRescue')))
  expect(portal.store.drafts.unsavedIds()).toEqual(['app-1'])
})

it('D30 the notice of the lost connection does not say that the device has the answers', async () => {
  // The portals of earlier tests in this process share the warning and may still change it.
  // True: this page has answers that a reload would lose.
  vi.spyOn(unloadWarning, 'state').mockReturnValue(true)
  await portal.seeAsTimePasses(() => expect(document.body.textContent).toContain(t('notice.unreachable')))
  expect(document.body.textContent).not.toContain(t('notice.keptUnsent'))
})

it('D33 a submit that waits does not say that the device has the form', async () => {
  // The portals of earlier tests in this process share the warning and may still change it.
  vi.spyOn(unloadWarning, 'isFor').mockImplementation(id => id === 'app-1')
  await portal.router.navigate({ href: '/procedure' })
  await portal.services.sync.submit(toApplicationId('app-1'), {
    values: firstPassport,
    tab: 'GeneralData',
    lastKnown: newDraft({ values: emptyForm(), tab: 'GeneralData' }),
  })
  await portal.router.navigate({ href: '/form/app-1/PP-1/GeneralData' })
  await portal.seeAsTimePasses(() => expect(submitStatus()).toBeTruthy())
  expect(portal.store.drafts.unsavedIds()).toEqual(['app-1'])
  expect(submitStatus()).toBe(t('form.notKeptRescue'))
})

it('D30 the list does not say that the device has the answers', async () => {
  // The portals of earlier tests in this process share the warning and may still change it.
  vi.spyOn(unloadWarning, 'isFor').mockImplementation(id => id === 'app-1')
  await portal.router.navigate({ href: '/procedure' })
  await portal.heading(t('procedure.heading'))
  await portal.seeAsTimePasses(() => expect(portal.services.sync.status('app-1').kind).toBe('waiting'))
  await portal.see(() => expect(shown()).toContain(t('form.notKeptRescue')))
  expect(shown()).not.toContain(t('form.kept'))
})

it('D30 a form that is opened again saves its answers when the device has space again', async () => {
  disk.isFull = false
  await openAgain()
  await portal.see(() => expect(shown()).toContain(t('form.kept')))
  expect(portal.store.drafts.unsavedIds()).toEqual([])
})

it('D31 the failure page does not advise to reload, and leads back to the portal', async () => {
  // The portals of earlier tests in this process share the warning and may still change it.
  // True: this page has answers that a reload would lose.
  vi.spyOn(unloadWarning, 'state').mockReturnValue(true)
  const bug = vi.spyOn(portal.services.sync, 'resolveId').mockRejectedValue(new Error('a bug'))
  void portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
  await portal.heading(t('failure.heading'))
  expect(document.body.textContent).not.toContain(t('failure.lead'))
  expect(document.body.textContent).toContain(t('failure.unsaved'))
  const buttons = [...document.querySelectorAll('button')].map(button => button.textContent)
  expect(buttons).toContain(t('button.back'))
  expect(buttons).not.toContain(t('failure.reload'))
  bug.mockRestore()
  ;[...document.querySelectorAll('button')].find(each => each.textContent === t('button.back'))?.click()
  await portal.heading(t('procedure.heading'))
  expect(portal.store.drafts.unsavedIds()).toEqual(['app-1'])
})
