// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { longestPressMs } from '#ui/longest-press.ts'
import type { Portal } from '#support/fixtures/open-portal.tsx'
import { openForm, summaryLinks, waitForDebounce } from './form-screen-fixture.ts'

const t = textsOf('fr')
const required = t('issue.required')
let portal: Portal

afterEach(() => portal.close())

describe('the message of a field', () => {
  it('appears under a touched field, and under no other (FRM11 FRM12)', async () => {
    portal = await openForm('GeneralData')
    portal.leave('travelDestination')
    await portal.see(() => expect(portal.fault('travelDestination')).toBe(required))
    expect(portal.fault('reasonForTravel')).toBeUndefined()
  })

  it('follows the label of its field in the summary, after a colon unless the label is a question (FRM10)', async () => {
    portal = await openForm('ParentData')
    portal.button(t('button.continue')).click()
    await portal.see(() =>
      expect(summaryLinks()).toEqual([
        t('form.fault', { field: t('field.motherSurname'), fault: required }),
        `${t('field.addReprData')} ${required}`,
      ]),
    )
  })

  it('waits until a press has ended, also when another press came shortly before it, so that the button does not move (FRM11)', async () => {
    portal = await openForm('GeneralData')
    const press = () =>
      portal.named('travelDestination').dispatchEvent(new Event('pointerdown', { bubbles: true }))
    press()
    await portal.device.advance(longestPressMs - 100)
    press()
    await portal.device.advance(200)
    portal.leave('travelDestination')
    await portal.device.advance(0)
    expect(portal.fault('travelDestination')).toBeUndefined()
    await portal.device.advance(longestPressMs)
    await portal.see(() => expect(portal.fault('travelDestination')).toBe(required))
  })

  it('is missing at a field that appears after a refused Continue, because of another answer (FRM11)', async () => {
    portal = await openForm('ParentData')
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(portal.fault('motherSurname')).toBe(required))
    portal.choose('addReprData', 'YES')
    await portal.see(() => expect(portal.named('reprSurname').value).toBe(''))
    await waitForDebounce(portal)
    await portal.see(() => expect(portal.fault('addReprData')).toBeUndefined())
    expect(portal.fault('motherSurname')).toBe(required)
    expect(portal.fault('reprSurname')).toBeUndefined()
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(portal.fault('reprSurname')).toBe(required))
  })

  it('disappears after the debounce when the answer becomes valid', async () => {
    portal = await openForm('GeneralData')
    portal.leave('travelDestination')
    await portal.see(() => expect(portal.fault('travelDestination')).toBe(required))
    portal.type('travelDestination', 'F')
    expect(portal.fault('travelDestination')).toBe(required)
    await waitForDebounce(portal)
    await portal.see(() => expect(portal.fault('travelDestination')).toBeUndefined())
    portal.type('travelDestination', 'F'.repeat(101))
    await waitForDebounce(portal)
    await portal.see(() => expect(portal.fault('travelDestination')).toBe(t('issue.too-long-100')))
  })

  it('appears and disappears when the answer of another field changes', async () => {
    portal = await openForm('NicData', {
      data: { ...firstPassport, nicDateOfIssuance: '2021-05-10', nicDateOfExpiry: '2031-05-10' },
    })
    portal.answer('nicDateOfIssuance-year', '2026')
    portal.answer('nicDateOfExpiry-year', '2026')
    portal.type('nicDateOfExpiry-month', '04')
    await waitForDebounce(portal)
    await portal.see(() => expect(portal.fault('nicDateOfIssuance')).toBe(t('issue.issuance-after-expiry')))
    portal.type('nicDateOfExpiry-year', '2027')
    await waitForDebounce(portal)
    await portal.see(() => expect(portal.fault('nicDateOfIssuance')).toBeUndefined())
  })

  it('changes its language with the page, and the answers stay', async () => {
    portal = await openForm('GeneralData')
    portal.answer('travelDestination', 'France')
    portal.leave('reasonForTravel')
    await portal.see(() => expect(portal.fault('reasonForTravel')).toBe(required))
    await portal.language.choose('en')
    await portal.see(() => expect(portal.fault('reasonForTravel')).toBe('Required!'))
    expect(portal.named('travelDestination').value).toBe('France')
  })
})

describe('Continue', () => {
  it('stays on a tab with issues, lists them and focuses the list (FRM10)', async () => {
    portal = await openForm('GeneralData')
    portal.answer('travelDestination', 'France')
    portal.button(t('button.continue')).click()
    await portal.see(() =>
      expect(summaryLinks()).toEqual([
        t('form.fault', { field: t('field.reasonForTravel'), fault: required }),
      ]),
    )
    expect(portal.fault('reasonForTravel')).toBe(required)
    expect(document.activeElement?.getAttribute('role')).toBe('alert')
    expect(location.pathname).toBe('/form/app-1/PP-1/GeneralData')
  })

  it('opens the next tab when this tab has no issues, even if others have (FRM10)', async () => {
    portal = await openForm('GeneralData')
    portal.type('travelDestination', 'France')
    portal.type('reasonForTravel', 'Études')
    portal.button(t('button.continue')).click()
    await portal.heading(t('tab.PersonData'))
    expect(summaryLinks()).toEqual([])
    expect(portal.fault('surname')).toBeUndefined()
  })

  it('normalises the name in the focused field (S75)', async () => {
    portal = await openForm('ParentData')
    portal.type('motherSurname', '  Ngo   Mbock ')
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(portal.named('motherSurname').value).toBe('Ngo Mbock'))
  })
})
