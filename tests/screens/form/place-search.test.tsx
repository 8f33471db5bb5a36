// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { firstPassport, renewalBornAbroad } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type PortalOptions, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
let portal: Portal

afterEach(() => portal.close())

const homePlaces = [
  {
    code: 'CENTRE',
    name: 'Centre',
    departments: [
      { code: 'CENTRE-1', name: 'Mfoundi', localities: [{ id: 7, name: 'Yaoundé 1er', aka: 'Nlongkak' }] },
    ],
  },
  {
    code: 'WEST',
    name: 'Ouest',
    departments: [{ code: 'WEST-1', name: 'Noun', localities: [{ id: 8, name: 'Foumban' }] }],
  },
]

/** A server with the list of all places. */
const withHomePlaces: NonNullable<PortalOptions['answer']> = ({ url }) => {
  if (url.includes('/version'))
    return { json: { data: { version: '1', time: '2026-06-15T09:00:00Z', features: ['homePlaces'] } } }
  return url.includes('/dictionary/home-places') ? { json: { data: { data: homePlaces } } } : undefined
}

async function open(opening: Partial<PortalOptions> = {}) {
  portal = await openPortal({ path: '/form/app-1/PP-1/PersonData', answer: withHomePlaces, ...opening })
  await portal.see(() => expect(portal.main().querySelector('form [name]')).not.toBeNull())
}

function searches(): HTMLInputElement[] {
  return [...portal.main().querySelectorAll<HTMLInputElement>('form input[type="search"]')]
}

function search(field: HTMLInputElement | undefined, words: string) {
  if (!field) throw new Error('The form has no search field')
  field.focus()
  portal.typeInto(field, words)
}

const valuesOf = (...names: string[]) => names.map(name => portal.named(name).value)

describe('the search for a place', () => {
  it('fills in the lists of region, department and locality, which the applicant can still change (FRM15 PER09)', async () => {
    await open()
    await portal.see(() => expect(searches()).toHaveLength(2))
    search(searches()[0], 'yaound')
    const result = 'Yaoundé 1er (Nlongkak), Mfoundi, Centre'
    await portal.see(() => portal.button(result).click())
    await portal.see(() =>
      expect(valuesOf('regionCode', 'departmentCode', 'localityId')).toEqual(['CENTRE', 'CENTRE-1', '7']),
    )
    expect(document.activeElement).toBe(portal.named('localityId'))
    expect(searches()[0]?.value).toBe('')
    expect(portal.named('resAddressRegionCode').value).toBe('')

    await portal.see(() => expect(portal.options('regionCode')).toContain('Ouest'))
    portal.answer('regionCode', 'WEST')
    await portal.see(() => expect(valuesOf('departmentCode', 'localityId')).toEqual(['', '']))
  })

  it('becomes a button of one line when it has found the place, and the button opens the search again', async () => {
    await open()
    await portal.see(() => expect(searches()).toHaveLength(2))
    search(searches()[0], 'yaound')
    await portal.see(() => portal.button('Yaoundé 1er (Nlongkak), Mfoundi, Centre').click())
    await portal.see(() => expect(searches()).toHaveLength(1))
    await portal.see(() => expect(portal.options('regionCode')).toContain('Ouest'))
    // The lists below it do not move while the applicant corrects them.
    portal.answer('regionCode', 'WEST')
    await portal.see(() => expect(valuesOf('departmentCode', 'localityId')).toEqual(['', '']))
    expect(searches()).toHaveLength(1)
    portal.button(t('place.search')).click()
    await portal.see(() => expect(searches()).toHaveLength(2))
    expect(document.activeElement).toBe(searches()[0])
  })

  it('folds when another button fills in the place, but not when the applicant answers the list itself', async () => {
    const born = { regionCode: 'CENTRE', departmentCode: 'CENTRE-1', localityId: '7' }
    const data = toWire({ ...firstPassport, ...born, resAddressLocalityId: '' })
    await open({ data })
    await portal.see(() => expect(searches()).toHaveLength(1))
    portal.button(t('place.sameAsBirth')).click()
    await portal.see(() => expect(searches()).toHaveLength(0))
    await portal.close()

    await open({ data })
    await portal.see(() => expect(portal.options('resAddressLocalityId').length).toBeGreaterThan(1))
    const list = portal.named('resAddressLocalityId')
    const value = list.querySelectorAll('option')[1]?.value ?? ''
    portal.answer('resAddressLocalityId', value)
    await portal.see(() => expect(valuesOf('resAddressLocalityId')).toEqual([value]))
    portal.answer('resAddressStreet', 'Bastos')
    await portal.see(() => expect(valuesOf('resAddressStreet')).toEqual(['Bastos']))
    expect(searches()).toHaveLength(1)
  })

  it('selects the first result with Enter, also when only another name of the place begins with the text', async () => {
    await open()
    await portal.see(() => expect(searches()).toHaveLength(2))
    // `Nlongkak` begins with this text, and `Noun` of the second result.
    search(searches()[1], 'n')
    await portal.see(() => expect(portal.main().textContent).toContain('2\u00a0résultats'))
    searches()[1]?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
    await portal.see(() =>
      expect(valuesOf('resAddressRegionCode', 'resAddressDepartmentCode', 'resAddressLocalityId')).toEqual([
        'CENTRE',
        'CENTRE-1',
        '7',
      ]),
    )
  })

  it('removes the messages of the three lists', async () => {
    await open()
    await portal.see(() => expect(searches()).toHaveLength(2))
    portal.button(t('button.continue')).click()
    const faults = () => ['regionCode', 'departmentCode', 'localityId'].map(portal.fault)
    await portal.see(() => expect(faults()).toEqual(Array(3).fill(t('issue.required'))))
    search(searches()[0], 'foumban')
    await portal.see(() => portal.button('Foumban, Noun, Ouest').click())
    await portal.see(async () => {
      await portal.device.advance(250)
      expect(faults()).toEqual([undefined, undefined, undefined])
    })
  })

  it('is missing on a server without the list of all places (D67)', async () => {
    await open({ answer: () => undefined })
    await portal.see(() => expect(portal.options('regionCode')).toContain('Ouest'))
    expect(searches()).toEqual([])
    expect(portal.requests.some(({ url }) => url.includes('home-places'))).toBe(false)
  })
})

describe('the button that copies the place of birth into the residence', () => {
  const name = t('place.sameAsBirth')
  const isOffered = () => portal.main().textContent.includes(name)

  it('copies region, department and locality with one tap', async () => {
    await open({
      data: toWire({
        ...firstPassport,
        regionCode: 'CENTRE',
        departmentCode: 'CENTRE-1',
        localityId: '7',
        resAddressLocalityId: '',
      }),
    })
    portal.button(name).click()
    await portal.see(() =>
      expect(valuesOf('resAddressRegionCode', 'resAddressDepartmentCode', 'resAddressLocalityId')).toEqual([
        'CENTRE',
        'CENTRE-1',
        '7',
      ]),
    )
    await portal.see(() => expect(isOffered()).toBe(false))
    expect(document.activeElement).toBe(portal.named('resAddressCountry'))
    expect(portal.named('resAddressStreet').value).toBe(firstPassport.resAddressStreet)
  })

  it('copies a country abroad with its city', async () => {
    await open({ data: toWire({ ...renewalBornAbroad, resAddressRegionCode: '' }) })
    portal.button(name).click()
    await portal.see(() =>
      expect(valuesOf('resAddressCountry', 'resAddressCity')).toEqual(['11037', 'Marseille']),
    )
    portal.leave('resAddressCountry')
    await portal.see(async () =>
      expect((await portal.store.drafts.read('app-1'))?.values).toMatchObject({
        resAddressCity: 'Marseille',
        resAddressRegionCode: '',
        resAddressLocalityId: '',
      }),
    )
  })

  it('appears when the place of birth is complete and the residence is not', async () => {
    await open({ data: toWire(firstPassport) })
    expect(isOffered()).toBe(false)
    await portal.close()
    await open({
      data: toWire({ ...firstPassport, placeOfBirth: '11037', city: '', resAddressLocalityId: '' }),
    })
    expect(isOffered()).toBe(false)
    portal.answer('city', 'Lyon')
    await portal.see(() => expect(isOffered()).toBe(true))
  })
})
