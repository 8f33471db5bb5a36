// @vitest-environment happy-dom
// Imported before Dexie, because Dexie looks for the browser's IndexedDB when it is imported.
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '#store/database.ts'
import { newDraft } from '#store/draft.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { installFailingStorage, removeFailingStorage } from '#support/fixtures/portal-storage.ts'
import { holdAnswer } from '#support/providers/fake-fetch.ts'
import type { FailingStorage } from '#support/providers/failing-storage.ts'

const t = textsOf('fr')
type ListAnswer = { json: object } | Promise<{ json: object }>

let portal: Portal
let storage: FailingStorage
let applicant: string

beforeEach(() => {
  applicant = crypto.randomUUID()
  storage = installFailingStorage()
})

afterEach(async () => {
  storage.trouble = 'none'
  await portal.close()
  removeFailingStorage()
})

/**
 * Opens the list of applications. The server lists none and cannot create one (503), so a local draft stays local.
 * `send` returns the server's answer with the list; `sendVersion` the one with the version.
 */
async function openList(
  send: (given: { json: object }) => ListAnswer = given => given,
  sendVersion?: () => ListAnswer,
) {
  portal = await openPortal({
    path: '/procedure',
    applicant,
    answer({ method, url }) {
      const { pathname } = new URL(url, 'http://portal.test')
      if (pathname.endsWith('/version')) return sendVersion?.()
      if (!pathname.endsWith('/applications')) return undefined
      return method === 'POST' ? { status: 503, json: { statusCode: 503 } } : send({ json: { data: [] } })
    },
  })
}

async function saveDraft(applicationId: string) {
  const draft = newDraft({ values: firstPassport, tab: 'PersonData' })
  const saved = await portal.store.drafts.update(applicationId, () => draft)
  expect(saved).toMatchObject({ kind: 'saved' })
}

async function damageRows() {
  const database = openDatabase()
  await database.drafts.toCollection().modify(row => {
    row.sealed.text = new ArrayBuffer(40)
  })
  database.close()
}

async function countRows(): Promise<number> {
  const database = openDatabase()
  const count = await database.drafts.where({ applicantId: applicant }).count()
  database.close()
  return count
}

const labelled = (label: string) =>
  [...portal.main().querySelectorAll('button')].filter(each => each.textContent.startsWith(label))

async function press(label: string) {
  await portal.see(() => expect(labelled(label)).toHaveLength(1))
  clickOnly(label)
}

function clickOnly(label: string) {
  const [button] = labelled(label)
  if (!button) throw new Error(`No button has the label ${label}`)
  button.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 }))
}

describe('an application that only this device has', () => {
  it('is not called deleted when the storage fails (D74, LST11)', async () => {
    await openList()
    await saveDraft('local-1')
    await press(t('procedure.delete'))
    await portal.see(() => expect(labelled(t('procedure.undo'))).toHaveLength(1))
    storage.trouble = 'connection stays lost'
    await portal.device.advance(10_000)
    await portal.see(() =>
      expect(portal.notices.state().last?.message).toEqual({ key: 'procedure.notDeleted' }),
    )
    storage.trouble = 'none'
    expect(await countRows()).toBe(1)
    await portal.see(() => expect(labelled(t('procedure.delete'))).toHaveLength(1))
    expect(portal.main().textContent).not.toContain(t('procedure.deleted'))
  })
})

describe('an application that only this device has, and cannot read (D74)', () => {
  it('shows no tile for a new one before the list of the server has loaded (LST08)', async () => {
    await openList()
    await saveDraft('local-1')
    await portal.close()
    await damageRows()
    const list = holdAnswer()
    await openList(given => list.hold(given))
    const offersNew = () => portal.main().textContent.includes(t('for.question'))
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.noNumber')))
    expect([list.isHeld(), offersNew()]).toEqual([true, false])
    expect(portal.main().textContent).not.toContain(t('procedure.oneAtATime'))
    list.release()
    await portal.see(() => expect(offersNew()).toBe(true))
  })

  it('does not prevent a new application, also before the sync knows that the old one is unreadable', async () => {
    await openList()
    await saveDraft('local-1')
    await portal.close()
    await damageRows()
    const version = holdAnswer()
    const info = { json: { data: { version: '1', time: '2026-06-15T09:00:00Z', features: [] } } }
    // The sync waits for the version before it reports the status of the drafts.
    await openList(undefined, () => version.hold(info))
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.noNumber')))
    await portal.see(() => expect(portal.main().textContent).not.toContain(t('app.loading')))
    expect([version.isHeld(), portal.services.sync.status('local-1').kind]).toEqual([true, 'none'])
    expect(portal.main().textContent).not.toContain(t('procedure.oneAtATime'))
    expect(portal.main().textContent).toContain(t('for.question'))
    version.release()
    await portal.see(() => expect(portal.services.sync.status('local-1').kind).toBe('unreadable'))
    expect(portal.main().textContent).toContain(t('for.question'))
  })
})

describe('a row that this device cannot decrypt, of an application that the server does not list (D74)', () => {
  beforeEach(async () => {
    await openList()
    await saveDraft('app-9')
    await portal.close()
    await damageRows()
    await openList()
  })

  it('is in the list, and can only be deleted', async () => {
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.unreadable')))
    expect(portal.main().textContent).not.toContain(t('procedure.empty'))
    expect([labelled(t('unknown.restart')), labelled(t('unknown.download'))]).toEqual([[], []])
    await press(t('unknown.delete'))
    await press(t('unknown.deleteYes'))
    await portal.see(() => expect(portal.main().textContent).not.toContain(t('form.unreadable')))
    expect(await countRows()).toBe(0)
  })

  it('stays on this device when the storage fails during its deletion', async () => {
    await press(t('unknown.delete'))
    await portal.see(() => expect(labelled(t('unknown.deleteYes'))).toHaveLength(1))
    // No wait between the click and the failure: a list that is read after the failure lacks the row and its button.
    clickOnly(t('unknown.deleteYes'))
    storage.trouble = 'connection stays lost'
    await portal.see(() =>
      expect(portal.notices.state().last?.message).toEqual({ key: 'procedure.notDeleted' }),
    )
    storage.trouble = 'none'
    expect(await countRows()).toBe(1)
  })
})
