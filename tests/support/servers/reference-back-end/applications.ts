import PdfFile from 'pdfkit'
import { type Answer, type Call, failureWithCode, inData, notFound, type Route, textOf } from './call.ts'

export type Application = {
  id: number
  applicantId: number
  applicationNumber: string
  currentState: string
  data: Record<string, unknown> | undefined
  appointment: { id: number } | undefined
}

/** The fields that the call of a save has (§3 of the specification). `draft` is stored like the others and has no effect. */
const savedFields = (
  'reason travelDestination reasonForTravel languagePref givenName surname gender dayOfBirth monthOfBirth yearOfBirth ' +
  'dateOfBirthUnknown placeOfBirth phoneNumber dialCode email occupation otherOccupation regionCode departmentCode ' +
  'localityId city resAddressCountry resAddressRegionCode resAddressDepartmentCode resAddressLocalityId ' +
  'resAddressCity resAddressStreet motherGivenName motherSurname fatherGivenName fatherSurname addReprData ' +
  'reprGivenName reprSurname reprGender reprDayOfBirth reprMonthOfBirth reprYearOfBirth reprDateOfBirthUnknown ' +
  'reprPlaceOfBirth reprCountryOfResidence reprOccupation reprOtherOccupation reprNicNumber reprNicDateOfIssuance ' +
  'reprNicDateOfExpiry reprNicPlaceOfIssuance reprRegionCode reprDepartmentCode reprLocalityId reprCity selectNic ' +
  'nicNumber nicPlaceOfIssuance nicDateOfIssuance nicDateOfExpiry eppNumber eppDateOfIssuance additionalData draft'
).split(' ')

/** Fields that §5 requires in every form. Without them this back end refuses a save: the specification has no drafts. */
const requiredFields = [
  'reason',
  'travelDestination',
  'reasonForTravel',
  'surname',
  'gender',
  'yearOfBirth',
  'placeOfBirth',
  'phoneNumber',
  'resAddressCountry',
  'resAddressStreet',
  'motherSurname',
  'addReprData',
]

/** The calls of §7 "Applications", except the list of countries, which `dictionaries.ts` has. */
export function createApplications(readToken: (token: string) => number | undefined) {
  const all = new Map<number, Application>()

  /** Returns the application with this id if it belongs to the caller. */
  function findOwn({ applicantId }: Pick<Call, 'applicantId'>, id: unknown): Application | undefined {
    const found = all.get(Number(id))
    return found?.applicantId === applicantId ? found : undefined
  }

  function create({ applicantId = 0 }: Call): Answer {
    const id = 1_000 + all.size
    const applicationNumber = `R-${id}`
    all.set(id, {
      id,
      applicantId,
      applicationNumber,
      currentState: 'NEW',
      data: undefined,
      appointment: undefined,
    })
    return inData({ id, applicationNumber })
  }

  function list({ applicantId, query }: Call): Answer {
    if (query.get('applicantId') !== String(applicantId)) return notFound
    const own = [...all.values()].filter(each => each.applicantId === applicantId)
    return inData(
      own.map(({ id, applicationNumber, currentState, appointment }) => ({
        id,
        applicationNumber,
        currentState,
        ...(appointment && { appointment }),
      })),
    )
  }

  function save(call: Call): Answer {
    const application = findOwn(call, call.params['id'])
    if (!application) return notFound
    if (!isOpen(application) || !isComplete(call.body)) return failureWithCode(400)
    application.data = call.body
    return {}
  }

  function confirm(call: Call): Answer {
    const answer = save(call)
    const application = findOwn(call, call.params['id'])
    if (answer.status === undefined && application) application.currentState = 'DATA_SAVED'
    return answer
  }

  function read(call: Call): Answer {
    const application = findOwn(call, call.params['id'])
    if (!application) return notFound
    const { data, currentState } = application
    return inData({
      ...Object.fromEntries(savedFields.map(name => [name, data?.[name] ?? null])),
      ...placesOf(data ?? {}),
      changeAppointmentAccess: currentState === 'APPOINTMENT_SCHEDULED',
      appointmentChangeCount: 1,
    })
  }

  async function readPdf(call: Call): Promise<Answer> {
    const application = findOwn(call, call.params['id'])
    return application ? { pdf: await drawSummary(application) } : notFound
  }

  const routes: Route[] = [
    { method: 'POST', path: '/applications', handler: create },
    { method: 'GET', path: '/applications', handler: list },
    { method: 'POST', path: '/applications/{id}/data', fields: savedFields, handler: save },
    { method: 'GET', path: '/applications/{id}/data', handler: read },
    { method: 'POST', path: '/applications/{id}/confirmData', fields: savedFields, handler: confirm },
    { method: 'GET', path: '/applications/{id}/get-pdf', handler: readPdf },
    {
      method: 'POST',
      path: '/applications/{id}/get-pdf/v2/{file}',
      open: true,
      fields: ['token'],
      handler: call => readPdf({ ...call, applicantId: readToken(textOf(call.body['token'])) }),
    },
  ]
  return { routes, findOwn, get: (id: number) => all.get(id) }
}

function isComplete(body: Record<string, unknown>): boolean {
  return requiredFields.every(name => textOf(body[name]) !== '')
}

function isOpen({ currentState }: Application): boolean {
  return currentState === 'NEW' || currentState === 'DATA_SAVED'
}

/** The fields of §3 for the names of regions, departments and localities, with the codes instead of the names. */
function placesOf(data: Record<string, unknown>) {
  const place = (names: string[]) => {
    const [regionName = '', departmentName = '', localityName = ''] = names.map(name => textOf(data[name]))
    return regionName === '' ? null : { regionName, departmentName, localityName }
  }
  return {
    addressCameroonForWeb: place(['regionCode', 'departmentCode', 'localityId']),
    resAddressCameroonForWeb: place([
      'resAddressRegionCode',
      'resAddressDepartmentCode',
      'resAddressLocalityId',
    ]),
    reprAddressCameroonForWeb: place(['reprRegionCode', 'reprDepartmentCode', 'reprLocalityId']),
  }
}

async function drawSummary({ applicationNumber, data }: Application): Promise<Buffer> {
  const document = new PdfFile({ size: 'A4' })
  const chunks: Buffer[] = []
  document.on('data', (chunk: Buffer) => chunks.push(chunk))
  const finished = new Promise(resolve => document.on('end', resolve))
  document.text(`${applicationNumber} ${textOf(data?.['surname'])}`)
  document.end()
  await finished
  return Buffer.concat(chunks)
}
