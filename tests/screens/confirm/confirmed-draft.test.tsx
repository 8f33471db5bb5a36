// @vitest-environment happy-dom
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { deviceUseStorageKey } from '#contract/codes.ts'
import { openDatabase } from '#store/database.ts'
import { newDraft } from '#store/draft.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
let portal: Portal
let applicant: string
beforeEach(() => {
  applicant = crypto.randomUUID()
})
afterEach(() => portal.close())

type ConfirmOptions = {
  use: 'own' | 'shared'
  features?: string[]
  /** Runs before each answer to `version`. */
  beforeVersion?: () => Promise<void>
}

/** Opens the page that confirms the answers; the server gives their version and epoch. */
async function open({ use, features = ['drafts'], beforeVersion = async () => undefined }: ConfirmOptions) {
  let currentState = 'NEW'
  portal = await openPortal({
    path: '/confirm/app-1/PP-1',
    applicant,
    data: { ...toWire(firstPassport), additionalData: '', version: 4, epoch: 'e1' },
    texts: use === 'shared' ? { [deviceUseStorageKey]: 'shared' } : {},
    answer({ method, url }) {
      const path = new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')
      if (path === '/version')
        return beforeVersion().then(() => ({ json: { data: { version: '1', features, epoch: 'e1' } } }))
      if (path === '/applications')
        return { json: { data: [{ id: 'app-1', applicationNumber: 'PP-1', currentState }] } }
      if (method !== 'POST' || !path.endsWith('/confirmData')) return undefined
      currentState = 'DATA_SAVED'
      return { json: { data: { currentState, version: 5, epoch: 'e1' } } }
    },
  })
  await portal.see(() => expect(portal.button(t('button.confirm'))).toBeDefined())
}

async function confirm(use: ConfirmOptions['use']) {
  await open({ use })
  portal.button(t('button.confirm')).click()
  await portal.heading(t('payment.heading'))
  await portal.see(() => expect(portal.services.sync.status('app-1').kind).toBe('sent'))
}

async function countRows(): Promise<Record<string, number>> {
  const { drafts, revisions, seen, keys } = openDatabase()
  const counts = { drafts, revisions, seen, keys }
  const found = Object.entries(counts).map(async ([name, table]) => [
    name,
    await table.filter((row: { applicantId: string }) => row.applicantId === applicant).count(),
  ])
  return Object.fromEntries(await Promise.all(found))
}

describe('what a device keeps of a confirmed form (D62)', () => {
  it('is erased at the log-out of a shared device, which asks nothing, because the server has it (D31)', async () => {
    await confirm('shared')
    const { session } = portal.services
    const leaving = session.logOut()
    const steps = new Set<string>()
    await portal.see(async () => {
      steps.add(session.logoutStep())
      await portal.device.advance(100)
      expect(session.state().kind).toBe('signed-out')
    })
    await leaving
    expect([...steps]).not.toContain('asking')
    await portal.see(async () =>
      expect(await countRows()).toEqual({ drafts: 0, revisions: 0, seen: 0, keys: 0 }),
    )
  })

  it('is erased with the account (D112)', async () => {
    await confirm('own')
    await portal.services.session.logOut('account-deleted')
    await portal.see(async () =>
      expect(await countRows()).toEqual({ drafts: 0, revisions: 0, seen: 0, keys: 0 }),
    )
  })

  it('cannot be read on the own device after the log-out (D31)', async () => {
    await confirm('own')
    await portal.services.session.logOut()
    await portal.see(async () => expect(await countRows()).toMatchObject({ drafts: 1, keys: 0 }))
    expect(await portal.store.drafts.all()).toEqual([])
  })

  it('has what another tab saves after the press, before the confirmation is sent to a server without drafts (D5)', async () => {
    let isPressed = false
    const typed = { ...firstPassport, motherSurname: 'Typed since' }
    async function saveInOtherTab() {
      if (!isPressed) return
      isPressed = false
      const lastKnown = newDraft({ values: firstPassport, tab: '' })
      const cause = { kind: 'typed', lastKnown, formValues: typed } as const
      await portal.store.drafts.update('app-1', draft => draft && { ...draft, values: typed }, cause)
    }
    await open({ use: 'own', features: [], beforeVersion: saveInOtherTab })
    const base = { values: firstPassport, additionalData: '', version: 4, epoch: 'e1', at: 1 }
    await portal.store.drafts.update('app-1', () => newDraft({ values: firstPassport, tab: '', base }))
    await portal.see(() => expect(portal.services.sync.status('app-1').kind).toBe('sent'))
    // The press then asks first whether the service can be reached.
    portal.services.connectivity.reportResponse('no-answer')
    isPressed = true
    portal.button(t('button.confirm')).click()
    await portal.heading(t('payment.heading'))
    await portal.see(async () =>
      expect(await portal.store.drafts.read('app-1')).toMatchObject({ values: typed, base: { version: 5 } }),
    )
  })
})
