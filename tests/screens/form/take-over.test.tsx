// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { type FormValues, toWire } from '#contract/application.ts'
import { newDraft } from '#store/draft.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

const groups = 'l’adresse, les coordonnées et les parents'
const earlier = { ...firstPassport, email: 'ada@example.cm' }
const number = `PP-0 – ${earlier.surname} ${earlier.givenName}`
const takeOverLabel = t('takeOver.button', { number, groups })

/** `isReachable`: whether the answers of the earlier application can be read; the list always can. */
type Server = {
  isReachable: boolean
  hasEarlier: boolean
  applicant?: string
  stored?: FormValues
  tab?: 'PersonData' | 'ParentData'
  data?: Record<string, unknown>
}

async function open({
  isReachable,
  hasEarlier,
  applicant,
  stored = earlier,
  tab = 'PersonData',
  data,
}: Server) {
  portal = await openPortal({
    path: `/form/app-1/PP-1/${tab}`,
    ...(applicant && { applicant }),
    ...(data && { data }),
    answer({ url, method }) {
      const path = new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')
      if (path === '/applications' && method === 'GET') {
        const listed = [
          { id: 'app-1', applicationNumber: 'PP-1', currentState: 'NEW' },
          ...(hasEarlier ? [{ id: 'app-0', applicationNumber: 'PP-0', currentState: 'SENT_TO_CM' }] : []),
        ]
        return { json: { data: listed } }
      }
      if (path !== '/applications/app-0/data') return undefined
      return isReachable ? { json: { data: toWire(stored) } } : 'no connection'
    },
  })
  await seeForm()
}

/** The heading is also there without fields, when the form could not be loaded. */
function seeForm() {
  return portal.see(() => expect(portal.main().querySelector('form [name]')).not.toBeNull())
}

const reads = () => portal.requests.filter(({ url }) => url.includes('/applications/app-0/data'))
/** Whether the page has the first word of the button. */
const hasOffer = () =>
  portal.main().textContent.includes(t('takeOver.button', { number: 'PP-0', groups: '' }).slice(0, 9))

async function takeOver() {
  await portal.see(() => expect(portal.button(takeOverLabel)).toBeTruthy())
  portal.button(takeOverLabel).click()
  await portal.see(() => expect(portal.main().textContent).toContain(t('takeOver.done', { number, groups })))
}

async function seeSaved(values: Partial<FormValues>) {
  await portal.device.advance(1_000)
  await portal.see(async () =>
    expect((await portal.store.drafts.read('app-1'))?.values).toMatchObject(values),
  )
}

describe('the form of a second application', () => {
  it('fills nothing before the press; after it, fills and saves the groups that the button names (FRM20)', async () => {
    await open({ isReachable: true, hasEarlier: true })
    await portal.see(() => expect(portal.button(takeOverLabel)).toBeTruthy())
    expect(portal.named('resAddressStreet').value).toBe('')
    await takeOver()
    expect(portal.named('resAddressStreet').value).toBe(earlier.resAddressStreet)
    expect(portal.named('email').value).toBe(earlier.email)
    expect(portal.named('surname').value).toBe('')
    const { resAddressStreet, motherSurname } = earlier
    await seeSaved({ resAddressStreet, motherSurname, surname: '' })
    expect(document.activeElement).toBe(portal.button(t('takeOver.undo')))
  })

  it('keeps the number of the earlier application in one line, before the press and after it (FRM20, D134)', async () => {
    const unbroken = () =>
      [...portal.main().querySelectorAll('[class*="line"]')].map(each => each.textContent)
    await open({ isReachable: true, hasEarlier: true })
    await portal.see(() => expect(unbroken()).toContain('PP-0'))
    await takeOver()
    expect(unbroken()).toContain('PP-0')
  })

  it('is as before after Undo, except for what was edited since (FRM20)', async () => {
    await open({ isReachable: true, hasEarlier: true })
    await takeOver()
    portal.answer('email', 'bob@example.cm')
    portal.button(t('takeOver.undo')).click()
    await portal.see(() => expect(portal.named('resAddressStreet').value).toBe(''))
    expect(portal.named('email').value).toBe('bob@example.cm')
    await seeSaved({ motherSurname: '', resAddressRegionCode: '', email: 'bob@example.cm' })
  })

  it('keeps the whole place after Undo when one part of it was edited since (FRM20, D32)', async () => {
    const abroad = { resAddressCountry: '11120', resAddressCity: 'Port Harcourt' }
    const atHome = { resAddressRegionCode: '', resAddressDepartmentCode: '', resAddressLocalityId: '' }
    await open({ isReachable: true, hasEarlier: true, stored: { ...earlier, ...atHome, ...abroad } })
    await takeOver()
    await portal.see(() => expect(portal.named('resAddressCity').value).toBe('Port Harcourt'))
    portal.answer('resAddressCity', 'Lagos')
    portal.button(t('takeOver.undo')).click()
    await portal.see(() => expect(portal.named('resAddressStreet').value).toBe(''))
    await seeSaved({ motherSurname: '', resAddressCountry: '11120', resAddressCity: 'Lagos' })
  })

  it('offers nothing without an earlier application, and reads none (FRM20)', async () => {
    await open({ isReachable: true, hasEarlier: false })
    await portal.device.advance(1_000)
    expect([hasOffer(), reads()]).toEqual([false, []])
  })

  it('offers nothing and shows no notice when the earlier answers cannot be read (FRM20, S29)', async () => {
    await open({ isReachable: false, hasEarlier: true })
    await portal.see(() => expect(reads().length).toBeGreaterThan(0))
    await portal.device.advance(5_000)
    expect([hasOffer(), portal.notices.state().last]).toEqual([false, undefined])
  })

  it('offers the answers of this device without a connection, and only to their owner (FRM20, D31)', async () => {
    await open({ isReachable: true, hasEarlier: true })
    const owner = portal.applicant
    await portal.store.drafts.update('app-0', () => newDraft({ values: earlier, tab: 'NicData' }))
    // Deletes the draft, as a confirmation does whose answer has no version: the answers stay as the last revision.
    await portal.store.drafts.update('app-0', () => undefined)
    const cached = 'readData {"params":{"id":"app-0"}}'
    await portal.see(async () => expect(await portal.store.responses.namesWith(cached)).toEqual([cached]))
    await portal.store.responses.remove(cached)
    await portal.close()

    await open({ isReachable: false, hasEarlier: true, applicant: owner })
    await takeOver()
    await portal.close()

    await open({ isReachable: false, hasEarlier: true })
    await portal.see(() => expect(reads().length).toBeGreaterThan(0))
    await portal.device.advance(5_000)
    expect(hasOffer()).toBe(false)
  })
})

async function openParents(data: Record<string, unknown>) {
  portal = await openPortal({ path: '/form/app-1/PP-1/ParentData', data })
  await seeForm()
}

describe('the Parent tab', () => {
  const minor = { dayOfBirth: '01', monthOfBirth: '02', yearOfBirth: '2015' }

  it('opens the representative by itself when the person is under 18, and No closes it (REP15)', async () => {
    await openParents(minor)
    await portal.see(() => expect(portal.named('reprSurname')).toBeTruthy())
    expect(portal.main().textContent).toContain(t('representative.minor'))
    portal.choose('addReprData', 'NO')
    await portal.see(() => expect(portal.main().querySelector('[name="reprSurname"]')).toBeNull())
    await portal.device.advance(1_000)
    expect(portal.main().querySelector('[name="reprSurname"]')).toBeNull()
  })

  it('copies the name and the gender of a parent into the representative with one press (REP16)', async () => {
    const mother = { motherSurname: 'ABENA', motherGivenName: 'Marie Claire' }
    await openParents({ ...minor, ...mother, fatherSurname: 'FOUDA' })
    const ofMother = 'Comme la mère\u00a0: nom, prénoms et sexe'
    const ofFather = 'Comme le père\u00a0: nom et sexe'
    await portal.see(() => expect([portal.button(ofMother), portal.button(ofFather)]).toBeTruthy())
    expect(portal.named('reprSurname').value).toBe('')
    portal.button(ofMother).click()
    await portal.see(() => expect(portal.named('reprSurname').value).toBe('ABENA'))
    const copied = { reprSurname: 'ABENA', reprGivenName: 'Marie Claire', reprGender: '11217' }
    await seeSaved({ ...copied, ...mother })
    expect(() => portal.button(ofFather)).toThrow()
    expect(portal.main().textContent).toContain('Repris de la mère\u00a0: nom, prénoms et sexe.')
    expect(document.activeElement).toBe(portal.button(t('takeOver.undo')))

    portal.answer('reprGivenName', 'Marie')
    portal.button(t('takeOver.undo')).click()
    await portal.see(() => expect(portal.named('reprSurname').value).toBe(''))
    await seeSaved({ reprSurname: '', reprGivenName: 'Marie', reprGender: '' })
    portal.answer('reprGivenName', '')
    await portal.see(() => expect(portal.button(ofFather)).toBeTruthy())
    portal.button(ofFather).click()
    await seeSaved({ reprSurname: 'FOUDA', reprGivenName: '', reprGender: '11216' })
  })

  it('offers no parent without a surname, nor for a representative who has a name (REP16)', async () => {
    await openParents({ ...minor, motherSurname: 'ABENA', reprGivenName: 'Paul' })
    await portal.see(() => expect(portal.named('reprGivenName').value).toBe('Paul'))
    const [ofMother, ofFather] = [
      'Comme la mère\u00a0: nom et sexe',
      'Comme le père\u00a0: nom et sexe',
    ] as const
    for (const label of [ofMother, ofFather]) expect(() => portal.button(label)).toThrow()
    portal.answer('reprGivenName', '')
    await portal.see(() => expect(portal.button(ofMother)).toBeTruthy())
    expect(() => portal.button(ofFather)).toThrow()
  })

  it('copies the person of an earlier application into the representative of a child with one press (REP17)', async () => {
    const parts = 'l’identité, la profession et la carte d’identité'
    await open({ isReachable: true, hasEarlier: true, tab: 'ParentData', data: minor })
    const label = t('takeOver.button', { number, groups: parts })
    await portal.see(() => expect(portal.button(label)).toBeTruthy())
    expect(portal.named('reprSurname').value).toBe('')
    portal.button(label).click()
    const { surname, nicNumber } = earlier
    await seeSaved({
      reprSurname: surname,
      reprYearOfBirth: '1990',
      reprNicNumber: nicNumber,
      addReprData: 'YES',
    })
    expect(portal.main().textContent).toContain(t('takeOver.done', { number, groups: parts }))

    portal.button(t('takeOver.undo')).click()
    await seeSaved({ reprSurname: '', reprYearOfBirth: '', reprNicNumber: '' })
    portal.answer('reprSurname', 'Fouda')
    await portal.see(() => expect(() => portal.button(label)).toThrow())
  })

  it('offers no person as the representative of an adult (REP17)', async () => {
    const adult = { ...minor, yearOfBirth: '1990', addReprData: 'YES' }
    await open({ isReachable: true, hasEarlier: true, tab: 'ParentData', data: adult })
    await portal.see(() => expect(portal.main().textContent).toContain(t('takeOver.address')))
    expect(portal.main().textContent).not.toContain(t('takeOver.identity'))
  })

  it.each([
    ['an adult', { ...minor, yearOfBirth: '1990' }],
    ['no birth date', {}],
    ['the answer No', { ...minor, addReprData: 'NO' }],
  ])('does not open the representative by itself with %s (REP15)', async (_, data) => {
    await openParents(data)
    await portal.device.advance(1_000)
    expect(portal.main().querySelector('[name="reprSurname"]')).toBeNull()
  })
})
