import 'fake-indexeddb/auto'
import { createRoot } from 'react-dom/client'
import { expect, vi } from 'vitest'
import { emptyForm } from '#contract/application.ts'
import type { Language } from '#contract/codes.ts'
import { createLanguage } from '#i18n/language.ts'
import { createPortal } from '#portal/create-portal.tsx'
import { makeToken } from './access-token.ts'
import { type Asked, answerFetch } from './fake-fetch.ts'
import { createWoundDevice } from './wound-device.ts'

type Answer =
  Exclude<Parameters<typeof answerFetch>[0], undefined> extends (asked: Asked) => infer Given ? Given : never

export type Opening = {
  path: string
  /** What the server has of the application. */
  data?: Record<string, unknown>
  state?: string
  claims?: Record<string, unknown>
  language?: Language
  /** The first word on a call; `undefined` leaves it to the ordinary answers. */
  answer?: (asked: Asked) => Answer | undefined
  /** Whose drafts lie on this device: the same name finds them again. */
  applicant?: string
}

export type Portal = Awaited<ReturnType<typeof openPortal>>

/** The portal as the browser runs it, on a device that is wound by hand and a line that answers as told. */
export async function openPortal(opening: Opening) {
  const { applicant = crypto.randomUUID(), language: first = 'fr' } = opening
  document.body.innerHTML = '<div id="root"></div>'
  history.replaceState(null, '', opening.path)
  const asked = answerFetch(request => opening.answer?.(request) ?? ordinaryAnswer(opening, request))
  const downloads: string[] = []
  const device = {
    ...createWoundDevice(Date.parse('2026-06-15T09:00:00Z')),
    downloads,
    download: (_file: Blob, name: string) => void downloads.push(name),
  }
  const language = await createLanguage(first, () => {})
  await language.complete()
  const { services, router, element } = createPortal({ device, language })
  await services.session.begin({
    token: makeToken({ applicantId: applicant, ...opening.claims }),
    draftKey: `secret of ${applicant}`,
  })
  const root = createRoot(document.getElementById('root') ?? document.body)
  root.render(element)
  const { notices } = services
  const store = await services.openStore()
  return {
    ...reader,
    applicant,
    asked,
    device,
    language,
    notices,
    router,
    store,
    async close() {
      root.unmount()
      // Else it would go on following the addresses of the next test.
      router.history.destroy()
      // What the form still writes on leaving must not find the next applicant signed in.
      await store.lock()
      vi.unstubAllGlobals()
    },
  }
}

/** What a person reads and does on the page; controls are found by the specification's names. */
const reader = {
  main,
  named,
  button,
  answer,
  type,
  leave,
  choose,
  options: (name: string) => [...named(name).querySelectorAll('option')].map(option => option.textContent),
  /** The message under a field, or under the group that it belongs to. */
  fault: (id: string) => document.getElementById(`${id}-error`)?.textContent ?? undefined,
  see: (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 10 }),
  heading: (words: string) =>
    vi.waitFor(() => expect(document.querySelector('h1')?.textContent).toBe(words), {
      timeout: 60_000,
      interval: 10,
    }),
}

function main(): HTMLElement {
  return document.querySelector<HTMLElement>('main') ?? document.body
}

function named(name: string): HTMLInputElement | HTMLSelectElement {
  const control = main().querySelector<HTMLInputElement | HTMLSelectElement>(`[name="${name}"]`)
  if (!control) throw new Error(`no control is named ${name}`)
  return control
}

function button(words: string): HTMLButtonElement {
  const found = [...main().querySelectorAll('button')].find(each => each.textContent === words)
  if (!found) throw new Error(`no button says ${words}`)
  return found
}

/** Types or chooses, and leaves the field. */
function answer(name: string, text: string) {
  type(name, text)
  leave(name)
}

function type(name: string, text: string) {
  const control = named(name)
  const isList = control instanceof HTMLSelectElement
  const prototype = isList ? HTMLSelectElement.prototype : HTMLInputElement.prototype
  control.focus()
  // As the browser does: React hears only of values that it did not set itself.
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(control, text)
  control.dispatchEvent(new Event(isList ? 'change' : 'input', { bubbles: true }))
}

function leave(name: string) {
  named(name).focus()
  named(name).blur()
}

function choose(name: string, value: string) {
  const choice = main().querySelector<HTMLInputElement>(`[name="${name}"][value="${value}"]`)
  if (!choice) throw new Error(`${name} offers no ${value}`)
  choice.click()
}

function ordinaryAnswer({ data, state = 'NEW' }: Opening, { url, method }: Asked): Answer {
  const { pathname, searchParams } = new URL(url, 'http://portal.test')
  const path = pathname.replace('/api/v1', '')
  if (path === '/version') return { json: { data: { version: '1', time: '2026-06-15T09:00:00Z' } } }
  if (path === '/applications' && method === 'GET')
    return { json: { data: [{ id: 'app-1', applicationNumber: 'PP-1', currentState: state }] } }
  if (path === '/applications/app-1/data')
    return { json: { data: method === 'GET' ? { ...emptyForm(), ...data } : { version: 2 } } }
  if (path === '/applications/app-1/confirmData') return { json: { data: { currentState: 'DATA_SAVED' } } }
  const list = dictionaryList(path, searchParams)
  return list ? { json: { data: { data: list } } } : { status: 404, json: { statusCode: 404 } }
}

function dictionaryList(path: string, query: URLSearchParams) {
  switch (path) {
    case '/applications/countries':
      return [
        { id: 11037, name: 'France' },
        { id: 10998, name: 'Cameroun' },
        { id: 10980, name: 'Belgique' },
      ]
    case '/dictionary/professions':
      return [
        { id: '33', descrFr: 'Autre', descrEn: 'Other' },
        { id: '06', descrFr: 'Commerçant(e)', descrEn: 'Trader' },
      ]
    case '/dictionary/regions':
      return [
        { code: 'WEST', name: 'Ouest' },
        { code: 'CENTRE', name: 'Centre' },
      ]
    case '/dictionary/departments':
      return [{ code: `${query.get('region')}-1`, name: `Département de ${query.get('region')}` }]
    case '/dictionary/localities':
      return [{ id: 7, name: 'Yaoundé 1er', aka: 'Nlongkak' }]
    default:
      return undefined
  }
}
