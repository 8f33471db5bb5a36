import type { ApplicationData } from '#contract/application.ts'
import { type Appointment, containsWords } from '#contract/appointment.ts'
import { isHome } from '#contract/place.ts'
import { fold } from '#ui/match-options.ts'
import { nothingPicked, type Picks } from './booking-selection.ts'

type Named = { id: string; name: string }
/** Loads the items below a country or a city. */
type Load = (id: string) => Promise<readonly Named[]>
type Lists = { countries: readonly Named[]; cities: Load; offices: Load }

type Residence = Pick<ApplicationData, 'resAddressCountry' | 'resAddressCity' | 'resAddressCameroonForWeb'>

/** The country and the city of the residence, where they have an office. */
export async function picksOfResidence(residence: Residence, { countries, cities }: Lists): Promise<Picks> {
  const country = countries.find(({ id }) => id === residence.resAddressCountry)?.id
  if (country === undefined) return nothingPicked
  const home = residence.resAddressCameroonForWeb
  const place = isHome(country) ? home?.localityName : residence.resAddressCity
  return { ...nothingPicked, country, city: cityNamedIn(place ?? '', await cities(country))?.id ?? '' }
}

/** The country, city and office of a booked appointment, as far as the lists have them; with an office also day and time. */
export async function picksOfAppointment(appointment: Appointment, lists: Lists): Promise<Picks> {
  const { countryId, country: countryName, city: cityName, nameOffice, appointmentDate } = appointment
  const country = lists.countries.find(({ id }) => id === countryId) ?? named(countryName, lists.countries)
  if (!country) return nothingPicked
  const city = named(cityName, await lists.cities(country.id))
  if (!city) return { ...nothingPicked, country: country.id }
  const picks = { ...nothingPicked, country: country.id, city: city.id }
  const office = named(nameOffice, await lists.offices(city.id))
  if (!office) return picks
  const [date = '', time = ''] = appointmentDate?.split('T') ?? []
  return { ...picks, officeId: office.id, date, time }
}

/**
 * Returns the city whose name is a part of a place's name: `Yaoundé` for the locality `Yaoundé 1er`. Ignores accents
 * and case, because the applicant types the name of a town abroad.
 */
function cityNamedIn(place: string, cities: readonly Named[]): Named | undefined {
  return cities.find(({ name }) => containsWords(fold(place), fold(name)))
}

function named(name: string | null, items: readonly Named[]): Named | undefined {
  return items.find(item => item.name === name)
}
