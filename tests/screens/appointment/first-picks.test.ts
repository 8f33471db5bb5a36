import { describe, expect, it } from 'vitest'
import { nothingPicked } from '#screens/appointment/booking-selection.ts'
import { picksOfAppointment, picksOfResidence } from '#screens/appointment/first-picks.ts'

const cities: Record<string, { id: string; name: string }[]> = {
  '10998': [
    { id: '1', name: 'Yaoundé' },
    { id: '2', name: 'Douala' },
  ],
  '11037': [{ id: '125', name: 'Paris' }],
}
const lists = {
  countries: [
    { id: '10998', name: 'Cameroun' },
    { id: '11037', name: 'France' },
  ],
  cities: async (country: string) => cities[country] ?? [],
  offices: async (city: string) => (city === '1' ? [{ id: '3', name: 'Bureau du Centre' }] : []),
}
const atHome = (localityName: string) => ({
  resAddressCountry: '10998',
  resAddressCity: '',
  resAddressCameroonForWeb: { regionName: 'Centre', departmentName: 'Mfoundi', localityName },
})
const abroad = (resAddressCountry: string, resAddressCity: string) => ({
  resAddressCountry,
  resAddressCity,
  resAddressCameroonForWeb: null,
})

describe('picksOfResidence', () => {
  it.each([
    ['a locality of a town with an office', atHome('Yaoundé 1er'), { country: '10998', city: '1' }],
    ['a locality whose town has no office', atHome('Mbalmayo'), { country: '10998' }],
    [
      'a locality whose name only begins with the letters of a town',
      atHome('Doualassi'),
      { country: '10998' },
    ],
    [
      'a town abroad, typed without its capital letter',
      abroad('11037', 'paris'),
      { country: '11037', city: '125' },
    ],
    ['a country without an office', abroad('10980', 'Paris'), {}],
    ['no residence', abroad('', ''), {}],
  ])('returns the country and the city that have an office, for %s', async (_, residence, expected) => {
    expect(await picksOfResidence(residence, lists)).toEqual({ ...nothingPicked, ...expected })
  })
})

const booked = {
  id: 'apt-1',
  appointmentDate: '2026-12-01T09:30:00',
  country: 'Cameroun',
  countryId: '10998',
  city: 'Yaoundé',
  nameOffice: 'Bureau du Centre',
  addressOffice: '',
  changeAllowed: true,
} as Parameters<typeof picksOfAppointment>[0]
const allPicked = {
  ...nothingPicked,
  country: '10998',
  city: '1',
  officeId: '3',
  date: '2026-12-01',
  time: '09:30:00',
}

describe('picksOfAppointment', () => {
  it.each([
    ['the booked office, day and time', booked, allPicked],
    [
      'the booked office, day and time by the name of the country when there is no id (D5)',
      { ...booked, countryId: null },
      allPicked,
    ],
    [
      'the office without day and time in the general queue',
      { ...booked, appointmentDate: null },
      { ...allPicked, date: '', time: '' },
    ],
    [
      'only country and city when the office is not offered',
      { ...booked, nameOffice: 'X' },
      { ...allPicked, officeId: '', date: '', time: '' },
    ],
    ['nothing for an unknown country', { ...booked, countryId: '1', country: 'X' }, nothingPicked],
  ])('returns %s', async (_, appointment, expected) => {
    expect(await picksOfAppointment(appointment, lists)).toEqual(expected)
  })
})
