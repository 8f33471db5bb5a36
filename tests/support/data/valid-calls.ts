import { toWire } from '#contract/application.ts'
import type { EndpointName } from '#contract/endpoints.ts'
import type { CallParts } from '#support/servers/api-client.ts'
import { firstPassport } from './applicants.ts'

/** Ids of what one applicant has. */
export type CallIds = {
  application: string
  number: string
  appointment: string
  payment: string
  office: string
  session: string
}

/** Every call that takes the id of an applicant's data, with a valid request. */
export function callsById(of: CallIds): { [Name in EndpointName]?: CallParts<Name> } {
  const application = { params: { id: of.application } }
  const appointment = { params: { id: of.appointment } }
  const query = { applicationId: of.application }
  const form = toWire(firstPassport)
  return {
    saveData: { ...application, body: { ...form, draft: true } },
    readData: application,
    deleteApplication: application,
    readWatch: application,
    startWatch: { ...application, body: { officeId: of.office } },
    stopWatch: application,
    confirmData: { ...application, body: form },
    getPdf: application,
    receiptTicket: application,
    postPdf: { params: { id: of.application, file: 'receipt.pdf' }, body: { token: '' } },
    createAppointment: {
      body: { applicationId: of.application, officeId: of.office, appointmentDate: null, generalQueue: true },
    },
    readAppointment: appointment,
    updateAppointment: { ...appointment, body: { cancel: true } },
    confirmAppointment: appointment,
    listAvailableDates: { params: { officeId: of.office }, query },
    startMobilePayment: { query: { ...query, phone: '237671234567' } },
    startAggregatorPayment: {
      query,
      body: { phone: '237671234567', paymentMethod: 'Orange-Money', name: 'Ngo', otp: '1234' },
    },
    startCardPayment: { query, body: { returnUrl: '' } },
    startUbaPayment: { query, body: { returnUrl: '' } },
    startMockPayment: { query },
    startWhitelistPayment: { query },
    confirmPayment: { params: { id: of.payment }, body: { otp: '1234' } },
    cancelPayment: { params: { id: of.payment } },
    listPaymentMethods: { query },
    listPayments: { query },
    listPaymentAttempts: application,
    paymentProof: application,
    readPayment: { params: { id: of.payment }, query },
    endSession: { params: { id: of.session } },
  }
}

const contact = { msisdn: '', email: 'awa@example.cm' }

/** Valid requests of the other calls; those that are not here need nothing. */
export const callsWithoutIds: { [Name in EndpointName]?: CallParts<Name> } = {
  auth: { body: { ...contact, gRecaptchaResponse: '', otherChannel: false } },
  login: { body: { ...contact, otp: '123456' } },
  addContact: { body: { ...contact, gRecaptchaResponse: '' } },
  confirmContact: { body: { ...contact, otp: '123456' } },
  undoContactChange: { body: { code: 'ABCD-EFGH-JKLM' } },
  downloadData: { query: { format: 'json' } },
  askProofCode: { body: { kind: 'phone' } },
  proveContact: { body: { kind: 'phone', otp: '123456' } },
  removeContact: { body: { kind: 'phone' } },
  endKiosk: { body: { code: 'a code of an office' } },
  listDepartments: { query: { region: 'CENTRE' } },
  listLocalities: { query: { region: 'CENTRE', department: 'MFOUNDI' } },
  listCities: { params: { countryId: '10998' } },
  listOffices: { query: { cityId: '1' } },
  readOffice: { params: { officeId: '1' } },
  listAvailableSlots: { params: { officeId: '1' }, query: { date: '2030-01-01' } },
}
