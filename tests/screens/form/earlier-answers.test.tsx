// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { toWire } from '#contract/application.ts'
import { catchUncaught } from '#support/catch-uncaught.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

/** Opens the form with the answers of the server. */
async function openForm() {
  portal = await openPortal({
    path: '/form/app-1/PP-1/PersonData',
    data: { ...toWire(firstPassport), additionalData: 'kept' },
  })
  await portal.see(() => expect(portal.named('surname').value).toBe(firstPassport.surname))
}

async function typeSurname(surname: string) {
  portal.answer('surname', surname)
  await portal.see(async () =>
    expect((await portal.store.drafts.read('app-1'))?.values.surname).toBe(surname),
  )
}

async function press(label: string) {
  await portal.see(() => expect(portal.button(label)).toBeTruthy())
  portal.button(label).click()
}

function dialog(): HTMLElement {
  return portal.main().querySelector<HTMLElement>('dialog[open]') ?? portal.main()
}

/** The names of the fields that the opened version shows beside the current answers. */
function namesOfShownFields() {
  return [...dialog().querySelectorAll('dt')].map(({ textContent }) => textContent)
}

/** Opens the list of earlier answers, which has one version, and then this version. */
async function openOnlyVersion() {
  await press(t('earlier.button'))
  await portal.see(() => expect(versions()).toHaveLength(1))
  versions()[0]?.click()
}

function versions() {
  return [...dialog().querySelectorAll<HTMLElement>('li button')]
}

describe('the earlier answers of a form (D63)', () => {
  it('are none in a form that has not changed', async () => {
    await openForm()
    await press(t('earlier.button'))
    await portal.see(() => expect(dialog().textContent).toContain(t('earlier.none')))
  })

  it('show what differs, beside the present answer, and are restored; the present ones stay in the list', async () => {
    await openForm()
    await typeSurname('Mbock')
    await press(t('earlier.button'))
    await portal.see(() => expect(versions()).toHaveLength(1))
    expect(versions()[0]?.textContent).toContain('1\u00a0réponse différente')
    versions()[0]?.click()
    await portal.see(() => expect(dialog().querySelectorAll('dt')).toHaveLength(1))
    expect(dialog().querySelector('dt')?.textContent).toBe(t('field.surname'))
    expect([...dialog().querySelectorAll('dd bdi')].map(each => each.textContent)).toEqual([
      'Mbock',
      firstPassport.surname,
    ])

    await press(t('earlier.restore'))
    await portal.see(() => expect(portal.named('surname').value).toBe(firstPassport.surname))
    expect((await portal.store.drafts.read('app-1'))?.values.surname).toBe(firstPassport.surname)
    expect(portal.notices.state().last?.message).toEqual({ key: 'earlier.restored' })
    await press(t('earlier.button'))
    await portal.see(() => expect(versions()).toHaveLength(2))
    expect(versions().map(each => each.lastChild?.textContent)).toEqual([
      '1\u00a0réponse différente',
      'Comme maintenant',
    ])
  })

  it('show too what another device has changed since they were opened, because the restore replaces that as well', async () => {
    await openForm()
    await typeSurname('Mbock')
    await openOnlyVersion()
    await portal.see(() => expect(dialog().querySelectorAll('dt')).toHaveLength(1))
    // The sync has merged an answer of another device, and the form has taken it over.
    await portal.store.drafts.update(
      'app-1',
      saved => saved && { ...saved, values: { ...saved.values, motherSurname: 'Newer' } },
    )
    // The page learns of the write at any time, and takes it over a moment later.
    await portal.see(async () => {
      await portal.device.advance(300)
      expect(namesOfShownFields()).toEqual([t('field.surname'), t('field.motherSurname')])
    })
    expect(dialog().textContent).toContain('Newer')
  })

  it('are in the order of the screen, which has the surname before the given names', async () => {
    await openForm()
    portal.answer('givenName', 'Paul')
    await typeSurname('Mbock')
    await openOnlyVersion()
    await portal.see(() => expect(namesOfShownFields()).toEqual([t('field.surname'), t('field.givenName')]))
  })

  it('leave the focus in the dialog when the applicant goes back to the list', async () => {
    await openForm()
    await typeSurname('Mbock')
    await openOnlyVersion()
    await portal.see(() => expect(dialog().querySelectorAll('dt')).toHaveLength(1))
    const back = [...dialog().querySelectorAll('button')].find(each => each.textContent === t('button.back'))
    back?.focus()
    back?.click()
    await portal.see(() => expect(versions()).toHaveLength(1))
    expect(document.activeElement).toBe(dialog().querySelector('h2'))
  })

  it('include the present answers once the applicant has left a tab of the form', async () => {
    await openForm()
    await typeSurname('Mbock')
    await portal.router.navigate({ href: '/form/app-1/PP-1/ParentData' })
    await portal.heading(t('tab.ParentData'))
    await portal.device.advance(1_000)
    await portal.see(async () => {
      const kept = await portal.store.revisions('app-1')
      expect(kept.map(({ values }) => values.surname)).toEqual([firstPassport.surname, 'Mbock'])
    })
  })

  it('can be restored by a second press when an error of the portal ended the first', async () => {
    await openForm()
    await typeSurname('Mbock')
    await openOnlyVersion()
    const uncaught: unknown[] = []
    const stopCatching = catchUncaught(error => uncaught.push(error))
    const restore = vi.spyOn(portal.services.sync, 'restore').mockRejectedValueOnce(new Error('no memory'))
    await press(t('earlier.restore'))
    // The error is not swallowed.
    await portal.see(() => expect(uncaught).toEqual([new Error('no memory')]))
    stopCatching()
    restore.mockRestore()
    await press(t('earlier.restore'))
    await portal.see(() => expect(portal.named('surname').value).toBe(firstPassport.surname))
  })

  it('are not restored when another tab has deleted the application since (LST13)', async () => {
    await openForm()
    await typeSurname('Mbock')
    // Without a connection the deletion mark on the device is all that this tab can learn from.
    portal.device.setOnline(false)
    await openOnlyVersion()
    await portal.store.drafts.update('app-1', () => undefined, { kind: 'deleted' })
    await press(t('earlier.restore'))
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.deleted')))
    expect(portal.notices.state().last?.message).not.toEqual({ key: 'earlier.restored' })
    expect(await portal.store.drafts.all()).toEqual([])
  })
})
