import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Language, languages } from '#contract/codes.ts'
import {
  countryName,
  occupationLabel,
  placeNames,
  unknownPart,
} from '#server/features/dictionary/dictionary-handlers.ts'
import { departments, localities } from '#server/seed/divisions.ts'
import { type ApiFixture, type ApiApplicant, openApiFixture } from '../api-fixture.ts'

const regionCodes = [
  'ADAMAWA',
  'CENTRE',
  'EAST',
  'FAR-NORTH',
  'LITTORAL',
  'NORTH',
  'NORTH-WEST',
  'WEST',
  'SOUTH',
  'SOUTH-WEST',
]

describe('the dictionaries', () => {
  let fixture: ApiFixture
  let applicant: ApiApplicant
  beforeAll(async () => {
    fixture = await openApiFixture()
    applicant = await fixture.signIn()
  })
  afterAll(() => fixture.close())

  async function regions(lg: Language) {
    return (await applicant.call('listRegions', { query: { lg } })).body?.data.data ?? []
  }

  it('DIC06 API16 lists the ten regions, in French in the order of the specification', async () => {
    const inFrench = await regions('fr')
    expect(inFrench.map(({ code }) => code)).toEqual(regionCodes)
    expect(inFrench.map(({ name }) => name)).toContain('Extrême-Nord')
  })

  it('S91 names the regions in English, sorted by that name', async () => {
    expect((await regions('en')).map(({ name }) => name)).toEqual([
      'Adamawa',
      'Centre',
      'East',
      'Far North',
      'Littoral',
      'North',
      'North-West',
      'South',
      'South-West',
      'West',
    ])
  })

  it.each(languages)('DIC07 API14 keeps Cameroon (10998) at its alphabetical place in %s', async lg => {
    const { body } = await applicant.call('listCountries', { query: { lg } })
    const names = body?.data.data.map(({ name }) => name) ?? []
    expect(names).toHaveLength(250)
    expect(names).toEqual(names.toSorted(new Intl.Collator(lg).compare))
    expect(body?.data.data.find(({ id }) => id === '10998')?.name).toBe(lg === 'fr' ? 'Cameroun' : 'Cameroon')
    expect(names[0]).not.toMatch(/^Camero/)
  })

  it.each(languages)(
    'DIC04 DIC05 API15 S77 starts the occupations with 00 and ends them with 33 in %s',
    async lg => {
      const { body } = await applicant.call('listProfessions', { query: { lg } })
      const occupations = body?.data.data ?? []
      expect(occupations[0]).toEqual({ id: '00', descrFr: '', descrEn: '' })
      expect(occupations.at(-1)?.id).toBe('33')
      const names = occupations.slice(1, -1).map(each => (lg === 'fr' ? each.descrFr : each.descrEn) ?? '')
      expect(names).toEqual(names.toSorted(new Intl.Collator(lg).compare))
    },
  )

  it('S45 API17 API18 leads from a region by codes to every one of the 360 localities', async () => {
    const ids: string[] = []
    for (const { code: region } of await regions('fr')) {
      const answer = await applicant.call('listDepartments', { query: { lg: 'fr', region } })
      for (const { code: department } of answer.body?.data.data ?? []) {
        const query = { lg: 'fr', region, department } as const
        const { body } = await applicant.call('listLocalities', { query })
        ids.push(...(body?.data.data.map(({ id }) => id) ?? []))
      }
    }
    expect(departments).toHaveLength(58)
    expect(new Set(ids).size).toBe(360)
    expect(ids.toSorted()).toEqual(localities.map(({ id }) => String(id)).toSorted())
  })

  it.each(languages)(
    'D35 gives every place at home in one answer, as the single calls do, in %s',
    async lg => {
      const { body } = await applicant.call('listHomePlaces', { query: { lg } })
      const whole = body?.data.data ?? []
      expect(whole.map(({ code, name }) => ({ code, name }))).toEqual(await regions(lg))
      for (const { code: region, departments: within } of whole.slice(0, 2)) {
        const single = await applicant.call('listDepartments', { query: { lg, region } })
        expect(within.map(({ code, name }) => ({ code, name }))).toEqual(single.body?.data.data)
        for (const { code: department, localities: places } of within) {
          const query = { lg, region, department }
          expect(places).toEqual((await applicant.call('listLocalities', { query })).body?.data.data)
        }
      }
      const places = whole.flatMap(region => region.departments.flatMap(department => department.localities))
      expect(new Set(places.map(({ id }) => id)).size).toBe(360)
    },
  )

  it('gives other names that people know a locality by, and ordinals of the language asked for', async () => {
    const query = { region: 'WEST', department: 'KOUNG-KHI' }
    const west = await applicant.call('listLocalities', { query: { lg: 'fr', ...query } })
    expect(west.body?.data.data.find(({ name }) => name === 'Poumougne')?.aka).toBe('Bandjoun')
    const capital = { region: 'CENTRE', department: 'MFOUNDI', lg: 'en' } as const
    const centre = await applicant.call('listLocalities', { query: capital })
    expect(centre.body?.data.data[1]?.name).toBe('Yaoundé 2nd')
  })

  it('answers an empty list for a place that does not exist, or lies in another region', async () => {
    const nowhere = await applicant.call('listDepartments', { query: { lg: 'fr', region: 'ATLANTIS' } })
    const query = { lg: 'fr', region: 'WEST', department: 'MFOUNDI' } as const
    const elsewhere = await applicant.call('listLocalities', { query })
    expect([nowhere.body?.data.data, elsewhere.body?.data.data]).toEqual([[], []])
  })
})

describe('names for codes', () => {
  const yaounde = { regionCode: 'CENTRE', departmentCode: 'MFOUNDI', localityId: '2007001' }

  it('are those of the language', () => {
    expect(placeNames(yaounde, 'en')).toEqual({
      regionName: 'Centre',
      departmentName: 'Mfoundi',
      localityName: 'Yaoundé 1st',
    })
    expect(countryName('10998', 'fr')).toBe('Cameroun')
    expect(occupationLabel('06', 'en')).toBe('Trader')
  })

  it('are none for a place that is not complete or does not hang together', () => {
    expect(placeNames({ ...yaounde, localityId: '' }, 'fr')).toBeNull()
    expect(placeNames({ ...yaounde, regionCode: 'WEST' }, 'fr')).toBeNull()
    expect(unknownPart({ ...yaounde, regionCode: 'WEST' })).toBe('departmentCode')
    expect(unknownPart({ ...yaounde, localityId: '5004001' })).toBe('localityId')
    expect(unknownPart(yaounde)).toBeUndefined()
  })
})
