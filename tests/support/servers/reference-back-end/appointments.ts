import {
  type Answer,
  type Call,
  failureWithCode,
  inData,
  inDataData,
  notFound,
  type Route,
  textOf,
} from './call.ts'
import type { Application } from './applications.ts'
import { listCountries } from './dictionaries.ts'

const cities = [
  { countryId: '10998', id: 1, name: 'Yaoundé' },
  { countryId: '10998', id: 2, name: 'Douala' },
  { countryId: '11037', id: 3, name: 'Paris' },
]

/** The office in Paris has no dates: its applicants join the general queue. */
const offices = [
  { cityId: '1', id: 11, name: 'Centre Mfoundi', address: 'Avenue Kennedy', hasDates: true },
  { cityId: '1', id: 12, name: 'Centre Mvog-Ada', address: '', hasDates: true },
  { cityId: '2', id: 21, name: 'Centre Bonanjo', address: 'Rue Joffre', hasDates: true },
  { cityId: '3', id: 31, name: 'Ambassade', address: '73 rue d’Auteuil', hasDates: false },
]
const placeFields = ['officeId', 'appointmentDate', 'generalQueue']
const slots = ['08:00', '09:30', '11:00']

type Applications = { findOwn: (call: Call, id: unknown) => Application | undefined }
type Appointment = {
  id: number
  application: Application
  officeId: string
  appointmentDate: string | null
  /** With this place and time. */
  isConfirmed: boolean
}
type Place = { officeId: string; appointmentDate: string | null }

/** The calls of §7 "Appointments". */
export function createAppointments({ findOwn }: Applications) {
  const all = new Map<number, Appointment>()
  let lastId = 499

  function findOwnAppointment(call: Call): Appointment | undefined {
    const found = all.get(Number(call.params['id']))
    return found && findOwn(call, found.application.id) ? found : undefined
  }

  function create(call: Call): Answer {
    const application = findOwn(call, call.body['applicationId'])
    if (!application) return notFound
    const place = readPlace(call.body)
    if (place === undefined) return failureWithCode(13)
    lastId += 1
    const id = lastId
    all.set(id, { id, application, ...place, isConfirmed: false })
    return inData({ id })
  }

  function read(call: Call): Answer {
    const found = findOwnAppointment(call)
    if (!found) return notFound
    const office = offices.find(({ id }) => String(id) === found.officeId)
    const city = cities.find(({ id }) => String(id) === office?.cityId)
    const country = listCountries(call).find(({ id }) => String(id) === city?.countryId)
    return inData({
      id: found.id,
      appointmentDate: found.appointmentDate,
      country: country?.name,
      city: city?.name,
      addressOffice: office?.address,
      nameOffice: office?.name,
      changeAllowed: found.application.currentState === 'APPOINTMENT_SCHEDULED',
    })
  }

  /** The specification shows no body: a change has the fields of a creation, and `cancel` is as the portal sends it. */
  function update(call: Call): Answer {
    const found = findOwnAppointment(call)
    if (!found) return notFound
    if (call.body['cancel'] === true) {
      all.delete(found.id)
      const { application } = found
      if (application.appointment?.id !== found.id) return {}
      application.appointment = undefined
      application.currentState = 'APPOINTMENT_CANCELED'
      return {}
    }
    const place = readPlace(call.body)
    if (place === undefined) return failureWithCode(13)
    Object.assign(found, place, { isConfirmed: false })
    return {}
  }

  /** In the specification: "returns true or false". */
  function confirm(call: Call): Answer {
    const found = findOwnAppointment(call)
    if (!found) return { json: false }
    const { application } = found
    if (found.isConfirmed) return { json: true }
    found.isConfirmed = true
    application.currentState = application.appointment ? 'APPOINTMENT_CHANGED' : 'APPOINTMENT_SCHEDULED'
    application.appointment = { id: found.id }
    return { json: true }
  }

  const routes: Route[] = [
    {
      method: 'GET',
      path: '/appointments/countries',
      handler: call =>
        inDataData(
          listCountries(call).filter(({ id }) => cities.some(({ countryId }) => countryId === String(id))),
        ),
    },
    { method: 'GET', path: '/appointments/countries/{countryId}/cities', handler: listCities },
    { method: 'GET', path: '/appointments/offices', handler: listOffices },
    { method: 'GET', path: '/appointments/offices/{officeId}/available-dates', handler: listDates },
    {
      method: 'GET',
      path: '/appointments/offices/{officeId}/available-slots',
      handler: () => inDataData(slots),
    },
    { method: 'POST', path: '/appointments', fields: ['applicationId', ...placeFields], handler: create },
    { method: 'GET', path: '/appointments/{id}', handler: read },
    {
      method: 'POST',
      path: '/appointments/{id}',
      fields: ['cancel', 'applicationId', ...placeFields],
      handler: update,
    },
    { method: 'POST', path: '/appointments/{id}/confirm', handler: confirm },
  ]
  return { routes }
}

/** Undefined for a request without a date that does not ask for the general queue (§5). */
function readPlace({ officeId, appointmentDate, generalQueue }: Call['body']): Place | undefined {
  if (!appointmentDate && generalQueue !== true) return undefined
  return { officeId: String(officeId), appointmentDate: textOf(appointmentDate) || null }
}

function listCities({ params }: Call): Answer {
  const found = cities.filter(({ countryId }) => countryId === params['countryId'])
  return inDataData(found.map(({ id, name }) => ({ id, name })))
}

function listOffices({ query }: Call): Answer {
  const found = offices.filter(({ cityId }) => cityId === query.get('cityId'))
  return inDataData(found.map(({ id, name, address }) => ({ id, name, address })))
}

/** Ten days from the day after tomorrow on; none for an office without dates. */
function listDates({ params }: Call): Answer {
  const office = offices.find(({ id }) => String(id) === params['officeId'])
  const dayMs = 86_400_000
  const days = Array.from({ length: 10 }, (_, index) => new Date(Date.now() + (index + 2) * dayMs))
  return inDataData(office?.hasDates === true ? days.map(day => day.toISOString().slice(0, 10)) : [])
}
