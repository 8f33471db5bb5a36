import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Language, languages } from '#contract/codes.ts'
import {
  countryName,
  occupationLabel,
  placeNames,
  findInvalidPart,
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

  it('list the ten regions, in French in the order of the specification (DIC06, API16)', async () => {
    const inFrench = await regions('fr')
    expect(inFrench.map(({ code }) => code)).toEqual(regionCodes)
    expect(inFrench.map(({ name }) => name)).toContain('Extrême-Nord')
  })

  it('list the regions in English sorted by their English names (S91)', async () => {
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

  it.each(languages)(
    'sort the countries alphabetically, also Cameroon (10998), in %s (DIC07, API14)',
    async lg => {
      const { body } = await applicant.call('listCountries', { query: { lg } })
      const names = body?.data.data.map(({ name }) => name) ?? []
      expect(names).toHaveLength(250)
      expect(names).toEqual(names.toSorted(new Intl.Collator(lg).compare))
      expect(body?.data.data.find(({ id }) => id === '10998')?.name).toBe(
        lg === 'fr' ? 'Cameroun' : 'Cameroon',
      )
      expect(names[0]).not.toMatch(/^Camero/)
    },
  )

  it.each(languages)(
    'sort the occupations alphabetically between 00, the first, and 33, the last, in %s (DIC04, DIC05, API15, S77)',
    async lg => {
      const { body } = await applicant.call('listProfessions', { query: { lg } })
      const occupations = body?.data.data ?? []
      expect(occupations[0]).toEqual({ id: '00', descrFr: '', descrEn: '' })
      expect(occupations.at(-1)?.id).toBe('33')
      const names = occupations.slice(1, -1).map(each => (lg === 'fr' ? each.descrFr : each.descrEn) ?? '')
      expect(names).toEqual(names.toSorted(new Intl.Collator(lg).compare))
    },
  )

  it('lead by codes from a region to each of the 360 localities (S45, API17, API18)', async () => {
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
    'answer every place in the home country at once, equal to the single calls, in %s (D35)',
    async lg => {
      const { body } = await applicant.call('listHomePlaces', { query: { lg } })
      const whole = body?.data.data ?? []
      expect(whole.map(({ code, name }) => ({ code, name }))).toEqual(await regions(lg))
      for (const { code: region, departments: within } of whole) {
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

  it('contain the other name of a locality, and English ordinals in English', async () => {
    const query = { region: 'WEST', department: 'KOUNG-KHI' }
    const west = await applicant.call('listLocalities', { query: { lg: 'fr', ...query } })
    expect(west.body?.data.data.find(({ name }) => name === 'Poumougne')?.aka).toBe('Bandjoun')
    const capital = { region: 'CENTRE', department: 'MFOUNDI', lg: 'en' } as const
    const centre = await applicant.call('listLocalities', { query: capital })
    expect(centre.body?.data.data[1]?.name).toBe('Yaoundé 2nd')
  })

  it('are empty for a place that does not exist or belongs to another region', async () => {
    const ofUnknownRegion = await applicant.call('listDepartments', {
      query: { lg: 'fr', region: 'ATLANTIS' },
    })
    const query = { lg: 'fr', region: 'WEST', department: 'MFOUNDI' } as const
    const ofOtherRegion = await applicant.call('listLocalities', { query })
    expect([ofUnknownRegion.body?.data.data, ofOtherRegion.body?.data.data]).toEqual([[], []])
  })
})

const yaounde = { regionCode: 'CENTRE', departmentCode: 'MFOUNDI', localityId: '2007001' }

describe('names for codes', () => {
  it('are in the requested language', () => {
    expect(placeNames(yaounde, 'en')).toEqual({
      regionName: 'Centre',
      departmentName: 'Mfoundi',
      localityName: 'Yaoundé 1st',
    })
    expect(countryName('10998', 'fr')).toBe('Cameroun')
    expect(occupationLabel('06', 'en')).toBe('Trader')
  })

  it('are null for a place that is incomplete or inconsistent', () => {
    expect(placeNames({ ...yaounde, localityId: '' }, 'fr')).toBeNull()
    expect(placeNames({ ...yaounde, regionCode: 'WEST' }, 'fr')).toBeNull()
  })
})

describe('findInvalidPart', () => {
  it('returns the first part that does not belong to the part above it', () => {
    expect(findInvalidPart({ ...yaounde, regionCode: 'WEST' })).toBe('departmentCode')
    expect(findInvalidPart({ ...yaounde, localityId: '5004001' })).toBe('localityId')
    expect(findInvalidPart(yaounde)).toBeUndefined()
  })
})
