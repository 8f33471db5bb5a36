// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { deviceUseStorageKey } from '#contract/codes.ts'
import { textsOf } from '#support/data/texts.ts'
import type { Portal, PortalOptions } from '#support/fixtures/open-portal.tsx'
import { complete, openForm } from './form-screen-fixture.ts'

const t = textsOf('fr')
let portal: Portal

afterEach(async () => {
  vi.restoreAllMocks()
  await portal.close()
})

/**
 * Advances the clock once past the 30 s after which the page opens the storage again. Repeated steps of this length
 * would reach the refresh of the token, which the fake server answers with 404, before a busy machine has opened the
 * storage.
 */
async function passStoragePause() {
  await portal.device.advance(31_000)
}

describe('the draft', () => {
  it('is saved on the device within 300 ms after the last keystroke, with its tab (D30)', async () => {
    portal = await openForm('PersonData')
    portal.type('surname', 'Ngo')
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.keeping')))
    await portal.device.advance(150)
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.kept')))
    const draft = await portal.store.drafts.read('app-1')
    expect([draft?.values.surname, draft?.tab]).toEqual(['Ngo', 'PersonData'])
  })

  it('is saved at once on blur (D30)', async () => {
    portal = await openForm('PersonData')
    portal.answer('surname', 'Ngo')
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.kept')))
    expect((await portal.store.drafts.read('app-1'))?.values.surname).toBe('Ngo')
  })

  it('is saved at once when the page is hidden (D30)', async () => {
    portal = await openForm('PersonData')
    portal.type('surname', 'Ngo')
    document.dispatchEvent(new Event('visibilitychange'))
    await portal.see(async () =>
      expect((await portal.store.drafts.read('app-1'))?.values.surname).toBe('Ngo'),
    )
  })

  it('is restored when the form is opened again, instead of the copy of the server', async () => {
    portal = await openForm('PersonData')
    portal.answer('surname', 'Ngo')
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.kept')))
    const { applicant } = portal
    await portal.close()
    portal = await openForm('PersonData', { applicant, data: { surname: 'Autre' } })
    expect(portal.named('surname').value).toBe('Ngo')
    expect(portal.main().textContent).toContain(t('form.kept'))
  })

  it('is still reported as on the server after a failed read of the server’s copy, and the read is repeated (D30, D33)', async () => {
    let isConnected = true
    const answer: PortalOptions['answer'] = ({ url }) => {
      if (!isConnected) return 'no connection'
      const version = { version: '1', time: '2026-06-15T09:00:00Z', features: ['caseFile', 'drafts'] }
      return url.endsWith('/version') ? { json: { data: version } } : undefined
    }
    portal = await openForm('PersonData', { answer })
    portal.answer('surname', 'Ngo')
    await portal.seeAsTimePasses(() => expect(portal.main().textContent).toContain(t('form.onServer')))
    const { applicant } = portal
    await portal.close()
    isConnected = false
    portal = await openForm('PersonData', { applicant, answer, data: { surname: 'Autre' } })
    const reads = () => portal.requests.filter(({ url }) => url.endsWith('/app-1/data')).length
    await portal.see(() => expect(reads()).toBe(1))
    // The page also asks in vain whether the service accepts drafts before it knows the status of the draft.
    await portal.see(async () => {
      await portal.device.advance(100)
      expect(portal.main().textContent).toContain(t('form.onServer'))
    })
    expect(portal.main().textContent).not.toContain(t('form.waiting'))
    isConnected = true
    await portal.seeAsTimePasses(() => expect(portal.named('surname').value).toBe('Autre'))
  })

  it('replaces the copy of the server as soon as the storage opens after a failed start (D30)', async () => {
    portal = await openForm('PersonData')
    portal.answer('surname', 'Ngo')
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.kept')))
    const { applicant } = portal
    await portal.close()
    const opening = vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => {
      throw new DOMException('Internal error', 'UnknownError')
    })
    portal = await openForm('PersonData', { applicant, data: { surname: 'Autre' } })
    expect(portal.named('surname').value).toBe('Autre')
    opening.mockRestore()
    await passStoragePause()
    await portal.see(async () => {
      await portal.device.advance(100)
      expect(portal.named('surname').value).toBe('Ngo')
    })
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.kept')))
  })

  it('is reported as unsaved when the device refuses to store it', async () => {
    portal = await openForm('PersonData')
    await portal.store.clearKey()
    portal.answer('surname', 'Ngo')
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.whyRefused')))
    expect(portal.named('surname').value).toBe('Ngo')
  })

  it('does not exist before the first edit', async () => {
    portal = await openForm('GeneralData')
    portal.leave('reason')
    await portal.device.advance(1_000)
    expect(await portal.store.drafts.read('app-1')).toBeUndefined()
  })
})

describe('the hand-over at a kiosk (D38)', () => {
  it('says that it failed when the device could not save the answers', async () => {
    portal = await openForm('GeneralData', complete)
    portal.device.saveText(deviceUseStorageKey, 'kiosk:3')
    await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
    // As when the store could not be loaded at the sign-in.
    await portal.store.clearKey()
    portal.type('surname', 'Mbock')
    await portal.see(() => portal.button(t('handOver.own')).click())
    await portal.see(() => expect(document.body.textContent).toContain(t('handOver.failed')))
  })

  it('is absent when another tab has deleted the application (LST13)', async () => {
    portal = await openForm('GeneralData', complete)
    portal.device.saveText(deviceUseStorageKey, 'kiosk:3')
    await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
    await portal.see(() => expect(portal.button(t('handOver.own'))).toBeTruthy())
    portal.device.receiveBroadcast({ kind: 'deleted', form: 'app-1' })
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.deleted')))
    expect(portal.main().textContent).not.toContain(t('handOver.own'))
  })
})
