// @vitest-environment happy-dom
// Before Dexie, which takes the database of the browser when it is imported.
import 'fake-indexeddb/auto'
import { afterEach, describe, expect, it } from 'vitest'
import { type FormValues, readForm, toWire } from '#contract/application.ts'
import { makeToken } from '#support/data/access-token.ts'
import { minorWithRepresentative } from '#support/data/applicants.ts'
import { newDraft } from '#store/draft.ts'
import { openPortal, type PortalOptions, type Portal } from '#support/fixtures/open-portal.tsx'
import { installFailingStorage, removeFailingStorage } from '#support/fixtures/portal-storage.ts'
import { createWaitingLocks } from '#support/providers/waiting-locks.ts'
import { textsOf } from '#support/data/texts.ts'
import { settle } from '#support/settle.ts'

const t = textsOf('fr')
const home = { regionName: 'Centre', departmentName: 'Mfoundi', localityName: 'Yaoundé 1er' }
const data = {
  ...toWire({ ...minorWithRepresentative, selectNic: '2', nicNumber: '110', eppNumber: '01234567' }),
  additionalData: 'kept',
  version: 4,
  addressCameroonForWeb: home,
}
const versionInfo = { data: { version: '1', time: '2026-06-15T09:00:00Z', features: ['caseFile'] } }
let portal: Portal

afterEach(() => portal.close())

async function open(options: Partial<PortalOptions> = {}) {
  portal = await openPortal({ path: '/confirm/app-1/PP-1', data, ...options })
  await portal.see(() => expect(portal.main().querySelectorAll('dl').length).toBeGreaterThan(0))
}

/**
 * Opens the screen of an application that is not confirmed. After any POST the fake server lists DATA_SAVED. `answer`
 * responds before this server.
 */
async function openUnconfirmed({ answer }: Pick<PortalOptions, 'answer'> = {}) {
  let currentState = 'NEW'
  await open({
    answer(request) {
      const { method, url } = request
      if (method === 'POST') currentState = 'DATA_SAVED'
      const given = answer?.(request)
      if (given) return given
      if (!url.includes('/applications?')) return undefined
      return { json: { data: [{ id: 'app-1', applicationNumber: 'PP-1', currentState }] } }
    },
  })
}

function confirmations() {
  return postRequests().filter(({ url }) => url.endsWith('/confirmData'))
}

function postRequests() {
  return portal.requests.filter(({ method }) => method === 'POST')
}

describe('the message that the device cannot read what was typed on it (D74)', () => {
  afterEach(removeFailingStorage)

  it('is shown to the applicant, who can still confirm what the service has', async () => {
    const storage = installFailingStorage()
    await openUnconfirmed()
    expect(portal.main().textContent).not.toContain(t('confirm.unreadable'))
    await portal.router.navigate({ href: '/help' })
    await portal.heading(t('help.heading'))
    storage.trouble = 'connection stays lost'
    await portal.router.navigate({ href: '/confirm/app-1/PP-1' })
    await portal.see(() => expect(portal.main().textContent).toContain(t('confirm.unreadable')))
    portal.button(t('button.confirm')).click()
    await portal.see(() => expect(location.pathname).toBe('/payment/app-1/PP-1'))
    expect(confirmations()).toHaveLength(1)
  })

  it('is shown before the press when the screen opens again while its first visit still waits for the draft', async () => {
    const storage = installFailingStorage()
    const later = { answerVersion: () => {} }
    // A read of the draft waits until the server has said whether it accepts drafts.
    const version = new Promise<void>(resolve => (later.answerVersion = resolve))
    await openUnconfirmed({
      answer: ({ url }) =>
        url.endsWith('/version') ? version.then(() => ({ json: versionInfo })) : undefined,
    })
    await portal.router.navigate({ href: '/help' })
    await portal.heading(t('help.heading'))
    storage.trouble = 'connection stays lost'
    await portal.router.navigate({ href: '/confirm/app-1/PP-1' })
    await portal.see(() => expect(portal.button(t('button.confirm'))).toBeDefined())
    later.answerVersion()
    await portal.see(() => expect(portal.main().textContent).toContain(t('confirm.unreadable')))
    portal.button(t('button.confirm')).click()
    await portal.see(() => expect(location.pathname).toBe('/payment/app-1/PP-1'))
    expect(confirmations()).toHaveLength(1)
  })

  it('is shown before anything is confirmed when the storage fails after the screen has opened', async () => {
    const storage = installFailingStorage()
    await openUnconfirmed()
    await portal.see(() => expect(portal.button(t('button.confirm'))).toBeDefined())
    storage.trouble = 'connection stays lost'
    portal.button(t('button.confirm')).click()
    await portal.see(() => expect(portal.main().textContent).toContain(t('confirm.unreadable')))
    await portal.see(() => expect(portal.button(t('button.confirm'))).toBeDefined())
    expect(confirmations()).toEqual([])
    // Sooner, the press would be part of a double press.
    portal.device.sleep(1_000)
    portal.button(t('button.confirm')).click()
    await portal.see(() => expect(location.pathname).toBe('/payment/app-1/PP-1'))
    expect(confirmations()).toHaveLength(1)
  })

  it('is shown when the draft of the application cannot be decrypted (D63)', async () => {
    await openUnconfirmed()
    await portal.router.navigate({ href: '/help' })
    await portal.heading(t('help.heading'))
    await portal.store.drafts.update('app-1', () =>
      newDraft({ values: minorWithRepresentative, tab: 'NicData' }),
    )
    const { applicant, services, router } = portal
    const token = makeToken({ applicantId: applicant })
    await services.session.begin({ token, draftKey: 'another key' })
    await router.navigate({ href: '/confirm/app-1/PP-1' })
    await portal.see(() => expect(portal.main().textContent).toContain(t('confirm.unreadable')))
  })
})

describe('confirmation screen', () => {
  it('shows the sections in their order and no input (CNF01, I1826)', async () => {
    await open()
    expect([...portal.main().querySelectorAll('h2')].map(heading => heading.textContent)).toEqual([
      t('section.personal'),
      t('section.residence'),
      t('section.nic'),
      t('section.passport'),
      t('section.parents'),
      t('section.representative'),
    ])
    expect(portal.main().querySelector('input, select, textarea')).toBeNull()
    expect(portal.main().textContent).toContain('Yaoundé 1er')
  })

  it('isolates the writing direction of each answer and removes direction marks', async () => {
    await open({ data: { ...data, surname: 'محمد \u202eNgo' } })
    const values = [...portal.main().querySelectorAll('dd')]
    expect(values.every(value => value.firstElementChild?.tagName === 'BDI')).toBe(true)
    expect(values.map(value => value.textContent)).toContain('محمد Ngo')
  })

  it('links the sections to their three form tabs, and "change data" to the first tab (CNF07, S52)', async () => {
    await open()
    const links = [...portal.main().querySelectorAll<HTMLAnchorElement>('section a')].map(
      link => link.pathname,
    )
    expect(new Set(links)).toEqual(
      new Set(['PersonData', 'NicData', 'ParentData'].map(tab => `/form/app-1/PP-1/${tab}`)),
    )
    portal.button(t('button.changeData')).click()
    await portal.see(() => expect(location.pathname).toBe('/form/app-1/PP-1/GeneralData'))
  })

  it('sends the data once when the applicant presses Confirm twice, and opens the payment (CNF08, S52)', async () => {
    await openUnconfirmed()
    portal.button(t('button.confirm')).click()
    portal.button(t('button.confirm')).click()
    await portal.see(() => expect(location.pathname).toBe('/payment/app-1/PP-1'))
    expect(postRequests()).toHaveLength(1)
    expect(postRequests()[0]?.url).toBe('/api/v1/applications/app-1/confirmData')
    expect(postRequests()[0]?.body).toMatchObject({
      surname: 'Ngo Biyong',
      additionalData: 'kept',
      draft: false,
      baseVersion: 4,
    })
    expect(postRequests()[0]?.headers.get('idempotency-key')).toBeTruthy()
  })

  it('deletes the draft after a confirmation whose answer has no version (CNF08)', async () => {
    await openUnconfirmed()
    await portal.store.drafts.update('app-1', () =>
      newDraft({ values: minorWithRepresentative, tab: 'NicData' }),
    )
    portal.button(t('button.confirm')).click()
    await portal.see(() => expect(location.pathname).toBe('/payment/app-1/PP-1'))
    expect(await portal.store.drafts.read('app-1')).toBeUndefined()
  })

  it('is not blocked by an earlier failed read of the form: nothing is unsent (CNF08, D33)', async () => {
    await openUnconfirmed()
    const values = { ...minorWithRepresentative, selectNic: '2', nicNumber: '110', eppNumber: '01234567' }
    const base = { version: 4, additionalData: 'kept', values, at: 1 }
    const notBefore = portal.device.now() + 60_000
    await portal.store.drafts.update('app-1', () =>
      newDraft({ values, tab: 'NicData', base, attempts: 1, notBefore }),
    )
    portal.button(t('button.confirm')).click()
    await portal.see(() => expect(location.pathname).toBe('/payment/app-1/PP-1'))
  })

  it('raises a notice, stays on the screen and shows the current data when the server refuses the confirmation (ERR07)', async () => {
    let isRefused = false
    await open({
      answer({ method, url }) {
        if (method === 'POST') {
          isRefused = true
          return { status: 409, json: { statusCode: 409 } }
        }
        return isRefused && url.endsWith('/app-1/data')
          ? { json: { data: { ...data, surname: 'Changed elsewhere' } } }
          : undefined
      },
    })
    portal.button(t('button.confirm')).click()
    await portal.see(() =>
      expect(portal.notices.state().last).toMatchObject({
        tone: 'warning',
        message: { key: 'notice.confirmFailed' },
      }),
    )
    await portal.see(() =>
      expect(portal.button(t('button.confirm')).getAttribute('aria-disabled')).toBeNull(),
    )
    await portal.see(() => expect(portal.main().textContent).toContain('Changed elsewhere'))
    expect(location.pathname).toBe('/confirm/app-1/PP-1')
  })

  it('requests the confirmation with a new key after a refusal, whose answer the old key would repeat (D13)', async () => {
    await openUnconfirmed({
      answer: ({ method }) => (method === 'POST' ? { status: 409, json: { statusCode: 409 } } : undefined),
    })
    for (const presses of [1, 2]) {
      await portal.see(() =>
        expect(portal.button(t('button.confirm')).getAttribute('aria-disabled')).toBeNull(),
      )
      portal.button(t('button.confirm')).click()
      await portal.see(() => expect(confirmations()).toHaveLength(presses))
    }
    const [first, second] = confirmations().map(({ headers }) => headers.get('idempotency-key'))
    expect(first).not.toBeNull()
    expect(second).not.toBe(first)
  })

  it('sends nothing while the device is offline (S20, S92)', async () => {
    await open()
    portal.device.setOnline(false)
    portal.button(t('button.confirm')).click()
    await portal.see(() =>
      expect(portal.notices.state().last?.message).toEqual({ key: 'notice.needsConnection' }),
    )
    expect(postRequests()).toEqual([])
  })

  it('shows an error with a retry button when the data cannot be read', async () => {
    let broken = true
    portal = await openPortal({
      path: '/confirm/app-1/PP-1',
      data,
      answer: ({ url }) =>
        broken && url.endsWith('/app-1/data') ? { status: 500, json: { statusCode: 500 } } : undefined,
    })
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.loadFailed')))
    broken = false
    portal.button(t('button.retry')).click()
    await portal.see(() => expect(portal.main().textContent).toContain('Ngo Biyong'))
  })
})

describe('the confirmation after the server was restored from a backup (D62)', () => {
  const known = { version: 9, epoch: 'before', additionalData: '', at: 1 }
  const restored = { ...data, version: 9, epoch: 'after' }
  const shown = readForm(
    toWire({ ...minorWithRepresentative, selectNic: '2', nicNumber: '110', eppNumber: '01234567' }),
  )

  async function openRestored(saved: FormValues) {
    await open({
      data: restored,
      answer({ url }) {
        const info = { version: '1', time: '2026-06-15T09:00:00Z', features: ['drafts'], epoch: 'after' }
        return url.endsWith('/version') ? { json: { data: info } } : undefined
      },
    })
    portal.device.withLock = createWaitingLocks()
    // This device has sent these answers before the server lost them.
    const draft = newDraft({ values: saved, tab: 'NicData', base: { ...known, values: saved } })
    await portal.store.drafts.update('app-1', () => draft)
  }

  it('confirms no answer that is older than the one on this device', async () => {
    await openRestored({ ...shown, motherSurname: 'Abena' })
    portal.button(t('button.confirm')).click()
    await portal.see(() => expect(portal.notices.state().last?.message).toEqual({ key: 'notice.unsent' }))
    expect(confirmations()).toEqual([])
    expect((await portal.store.drafts.read('app-1'))?.theirs?.epoch).toBe('after')
  })

  it('confirms answers that are the same on this device', async () => {
    await openRestored(shown)
    portal.button(t('button.confirm')).click()
    await portal.see(() => expect(confirmations()).toHaveLength(1))
    await portal.see(async () => expect(await portal.store.drafts.all()).toEqual([]))
  })
})

describe('an applicant who leaves the screen before the answer', () => {
  it.each([
    ['', 0],
    [', also when the clock of the phone is set back by a day after the press', -24 * 60 * 60_000],
  ])('stays in the form, and keeps what was typed there since the press%s (D30, S93)', async (_, clockMs) => {
    const later = { respond: () => {} }
    const released = new Promise<void>(resolve => (later.respond = resolve))
    let currentState = 'NEW'
    portal = await openPortal({
      path: '/confirm/app-1/PP-1',
      data: { ...data, epoch: 'e1' },
      answer({ method, url }) {
        const path = new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')
        if (path === '/version')
          return {
            json: { data: { version: '1', time: '2026-06-15T09:00:00Z', features: ['drafts'], epoch: 'e1' } },
          }
        if (path === '/applications')
          return { json: { data: [{ id: 'app-1', applicationNumber: 'PP-1', currentState }] } }
        if (path === '/applications/app-1/data' && method === 'POST')
          return { status: 503, json: { statusCode: 503 } }
        if (!path.endsWith('/confirmData')) return undefined
        return released.then(() => {
          currentState = 'DATA_SAVED'
          return { json: { data: { currentState, version: 5, epoch: 'e1' } } }
        })
      },
    })
    await portal.see(() => portal.button(t('button.confirm')).click())
    await portal.see(() => expect(confirmations()).toHaveLength(1))
    portal.button(t('button.changeData')).click()
    await portal.heading(t('tab.GeneralData'))
    await portal.router.navigate({ href: '/form/app-1/PP-1/ParentData' })
    await portal.see(() => portal.named('motherSurname'))
    portal.device.moveWallClock(clockMs)
    portal.answer('motherSurname', 'Typed since')
    await portal.device.advance(300)
    await portal.see(async () =>
      expect((await portal.store.drafts.read('app-1'))?.values.motherSurname).toBe('Typed since'),
    )
    later.respond()
    await portal.see(async () => expect((await portal.store.drafts.read('app-1'))?.base?.version).toBe(5))
    await portal.device.advance(1_000)
    await settle()
    expect(location.pathname).toBe('/form/app-1/PP-1/ParentData')
    expect(portal.named('motherSurname').value).toBe('Typed since')
    expect((await portal.store.drafts.read('app-1'))?.values.motherSurname).toBe('Typed since')
  })
})

it('leaves the focus on the heading after a retry, whose button is gone', async () => {
  let isBroken = true
  portal = await openPortal({
    path: '/confirm/app-1/PP-1',
    data,
    answer: ({ url }) =>
      isBroken && url.includes('/app-1/data') ? { status: 404, json: { statusCode: 404 } } : undefined,
  })
  const retry = await portal.see(() => portal.button(t('button.retry')))
  isBroken = false
  retry.focus()
  retry.click()
  await portal.see(() => expect(portal.main().querySelectorAll('dl').length).toBeGreaterThan(0))
  expect(document.activeElement?.id).toBe('heading')
})
