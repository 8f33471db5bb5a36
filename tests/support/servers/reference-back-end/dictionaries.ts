import { type Answer, type Call, inDataData, type Route } from './call.ts'

const countries = [
  { id: 10998, en: 'Cameroon', fr: 'Cameroun' },
  { id: 11037, en: 'France', fr: 'France' },
  { id: 11058, en: 'Germany', fr: 'Allemagne' },
]

const professions = [
  { id: '06', descrEn: 'Teacher', descrFr: 'Enseignant' },
  { id: '07', descrEn: 'Trader', descrFr: 'Commerçant' },
  { id: '33', descrEn: 'Other', descrFr: 'Autre' },
]

/** The regions of §3. */
const regions = [
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

const departments = [
  { region: 'CENTRE', code: 'MFOUNDI', name: 'Mfoundi' },
  { region: 'LITTORAL', code: 'WOURI', name: 'Wouri' },
]

const localities = [
  { department: 'MFOUNDI', id: 2007001, name: 'Yaoundé I' },
  { department: 'MFOUNDI', id: 2007002, name: 'Yaoundé II' },
  { department: 'WOURI', id: 5004001, name: 'Douala I' },
]

/** The calls of §7 "Dictionaries", and the list of countries. */
export const dictionaryRoutes: Route[] = [
  { method: 'GET', path: '/applications/countries', handler: call => inDataData(listCountries(call)) },
  { method: 'GET', path: '/dictionary/professions', handler: () => inDataData(professions) },
  {
    method: 'GET',
    path: '/dictionary/regions',
    handler: () => inDataData(regions.map(code => ({ code, name: code }))),
  },
  { method: 'GET', path: '/dictionary/departments', handler: listDepartments },
  { method: 'GET', path: '/dictionary/localities', handler: listLocalities },
]

export function listCountries({ query }: Call) {
  return countries.map(({ id, en, fr }) => ({ id, name: query.get('lg') === 'en' ? en : fr }))
}

function listDepartments({ query }: Call): Answer {
  const found = departments.filter(({ region }) => region === query.get('region'))
  return inDataData(found.map(({ code, name }) => ({ code, name })))
}

function listLocalities({ query }: Call): Answer {
  const found = localities.filter(({ department }) => department === query.get('department'))
  return inDataData(found.map(({ id, name }) => ({ id, name })))
}
