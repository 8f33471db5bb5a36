// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { fieldsOfTab } from '#contract/application.ts'
import { minorWithRepresentative } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import type { Portal } from '#support/fixtures/open-portal.tsx'
import { settle } from '#support/settle.ts'
import { complete, openForm, waitForDebounce } from './form-screen-fixture.ts'

const t = textsOf('fr')
let portal: Portal

afterEach(() => portal.close())

function tabMarks() {
  return [...portal.main().querySelectorAll(`nav a`)].map(link => link.textContent)
}

describe('FormTabs', () => {
  it('shows the tabs in their order, each as required while it has an issue (FRM01 FRM05)', async () => {
    portal = await openForm('GeneralData')
    expect(tabMarks()).toEqual([
      '1Général, à compléter',
      '2Personne, à compléter',
      '3Parents, à compléter',
      '4Documents, à compléter',
    ])
    expect(portal.main().querySelector('[aria-current="step"]')?.textContent).toContain('Général')
  })

  it('shows a tab as valid after its last answer (FRM04)', async () => {
    portal = await openForm('GeneralData')
    portal.type('travelDestination', 'France')
    portal.type('reasonForTravel', 'Études')
    await waitForDebounce(portal)
    await portal.see(() => expect(tabMarks()[0]).toBe('Général, valide'))
  })

  it('warns of a tab only after Continue was refused there (FRM05 S54)', async () => {
    portal = await openForm('GeneralData')
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(tabMarks()[0]).toBe('!Général, à compléter'))
    expect(tabMarks().slice(1)).toEqual([
      '2Personne, à compléter',
      '3Parents, à compléter',
      '4Documents, à compléter',
    ])
  })

  it('warns of every tab with an issue after Submit was refused (FRM05 S54)', async () => {
    portal = await openForm('NicData', {
      data: { ...complete.data, travelDestination: '', motherSurname: '' },
    })
    portal.button(t('button.submit')).click()
    await portal.heading(t('tab.GeneralData'))
    await portal.see(() =>
      expect(tabMarks()).toEqual([
        '!Général, à compléter',
        'Personne, valide',
        '!Parents, à compléter',
        'Documents, valide',
      ]),
    )
  })

  it('gives the focus to the summary of the errors when Submit opens the tab that has them (S54)', async () => {
    portal = await openForm('NicData', { data: { ...complete.data, travelDestination: '' } })
    portal.button(t('button.submit')).click()
    await portal.heading(t('tab.GeneralData'))
    await settle()
    expect(document.activeElement?.textContent).toContain(t('form.summaryTitle'))
  })

  it('opens the tabs in any order (S54)', async () => {
    portal = await openForm('GeneralData')
    const link = [...portal.main().querySelectorAll<HTMLAnchorElement>('nav a')][2]
    link?.click()
    await portal.heading(t('tab.ParentData'))
  })

  it('is saved with the draft when the applicant leaves the form right after the last key, so that it opens again (D30)', async () => {
    portal = await openForm('ParentData')
    portal.type('fatherSurname', 'MBARGA')
    await portal.router.navigate({ href: '/procedure' })
    await portal.heading(t('procedure.heading'))
    await portal.services.pendingWrites.finish('reload')
    await portal.see(async () =>
      expect((await portal.store.drafts.find('app-1')).draft?.values.fatherSurname).toBe('MBARGA'),
    )
    expect((await portal.store.drafts.find('app-1')).draft?.tab).toBe('ParentData')
  })

  it('shows the buttons of the tab below the form (FRM02 FRM03)', async () => {
    portal = await openForm('GeneralData', complete)
    const buttons = () =>
      [...portal.main().querySelectorAll('form > :last-child button')].map(each => each.textContent)
    expect(buttons()).toEqual([t('button.continue'), t('button.cancel')])
    await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
    await portal.see(() => expect(buttons()).toEqual([t('button.continue'), t('button.back')]))
    await portal.router.navigate({ href: '/form/app-1/PP-1/NicData' })
    await portal.see(() => expect(buttons()).toEqual([t('button.submit'), t('button.back')]))
  })

  it('opens the previous tab on Back (S53), and leaves the form on Cancel (FRM14)', async () => {
    portal = await openForm('PersonData')
    portal.button(t('button.back')).click()
    await portal.heading(t('tab.GeneralData'))
    portal.button(t('button.cancel')).click()
    await portal.see(() => expect(location.pathname).toBe('/procedure'))
  })
})

describe('the controls', () => {
  // Not checked: the fields of each list and, of the representative, those that match `parts`. No tab asks for
  // `languagePref`, the answers hide some fields, and a date has three boxes.
  it.each([
    ['GeneralData', ['languagePref']],
    ['PersonData', ['city', 'otherOccupation', 'resAddressCity']],
    ['ParentData', ['reprCity', 'reprOtherOccupation']],
    ['NicData', ['nicDateOfIssuance', 'nicDateOfExpiry', 'eppDateOfIssuance']],
  ] as const)('of %s have the names of the specification (D4)', async (tab, withoutControl) => {
    portal = await openForm(tab, {
      data: { ...minorWithRepresentative, selectNic: '2', reason: '11212', reprPlaceOfBirth: '10998' },
    })
    const parts = /^repr(?:Day|Month|Year)|DateOf(?:Issuance|Expiry)$/
    const names = fieldsOfTab[tab].filter(
      name => !withoutControl.some(other => other === name) && !(name.startsWith('repr') && parts.test(name)),
    )
    for (const name of names) expect(portal.named(name).name).toBe(name)
  })
})
