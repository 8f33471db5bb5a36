import { toWire } from '#contract/application.ts'
import type { EndpointName } from '#contract/endpoints.ts'
import { firstPassport } from '#support/data/applicants.ts'
import type { WebhookSource } from '#server/features/payments/webhook-sources.ts'
import type { RandomSource } from '#support/random-source.ts'
import { bodyOf, type SignedInDirectly, signInDirectly } from '#support/servers/api-client.ts'
import type { TestServer } from '#support/servers/test-server.ts'
import { createPaidApplication, findFreeTime } from '../paid-application.ts'

export const stages = ['new', 'confirmed', 'ordered', 'paid', 'reserved', 'booked'] as const
export type Stage = (typeof stages)[number]

/**
 * An applicant with one application, and the ids of what belongs to it; an unused id for what it does not have yet.
 * `freeTime`: as `findFreeTime` returns it; '' before the payment.
 */
export type Subject = {
  applicant: SignedInDirectly
  phone: string
  stage: Stage
  application: string
  appointment: string
  payment: string
  session: string
  freeTime: string
  /** The newest order of the application. */
  order?: Order | undefined
}

/** A payment order. `ticket`: opens its card page; '' for another method. */
export type Order = {
  source: WebhookSource
  number: string
  reference: string
  returnId: string
  ticket: string
}

/** The parts of a request before they are changed. */
export type ValidRequest = {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: Record<string, unknown>
}

const unusedId = '018f3a00-0000-7000-8000-000000000001'

/** Stores an applicant whose application has reached this stage. The office is one of the demo. */
export async function createSubject(server: TestServer, stage: Stage, phone: string): Promise<Subject> {
  const applicant = await signInDirectly(server, { phone, email: `a${phone}@example.cm` })
  const subject = { applicant, phone, stage, session: applicant.caller.sessionId, freeTime: '' }
  const none = { appointment: unusedId, payment: unusedId }
  if (stage === 'new' || stage === 'confirmed') {
    const { id } = bodyOf(await applicant.call('createApplication')).data
    if (stage === 'confirmed')
      bodyOf(await applicant.call('confirmData', { params: { id }, body: toWire(firstPassport) }))
    return { ...subject, ...none, application: id }
  }
  const signedIn = { ...applicant, draftKey: undefined }
  if (stage === 'ordered') {
    const order = await createOrder(server, applicant, phone)
    return { ...subject, ...none, ...order }
  }
  const { applicationId: application } = await createPaidApplication(server, signedIn)
  // The demo's provider sends no webhooks, so `mtn` stands for the source of its order.
  const paid = { ...subject, application, ...(await readOrder(server, application, 'mtn')) }
  const freeTime = await findFreeTime(signedIn, application)
  if (stage === 'paid') return { ...paid, freeTime, appointment: unusedId }
  const { id: appointment } = bodyOf(
    await applicant.call('createAppointment', {
      body: { applicationId: application, officeId: '1', appointmentDate: freeTime },
    }),
  ).data
  if (stage === 'booked') bodyOf(await applicant.call('confirmAppointment', { params: { id: appointment } }))
  return { ...paid, freeTime, appointment }
}

const orderSources = ['mtn', 'orange', 'cinetpay', 'uba', 'bacm', 'smobilpay', 'collect'] as const

/** Stores a confirmed application with an open order. Consecutive phone numbers take the providers in turn. */
async function createOrder(server: TestServer, applicant: SignedInDirectly, phone: string) {
  const source = orderSources[Number(phone) % orderSources.length] ?? 'mtn'
  const { id: applicationId } = bodyOf(await applicant.call('createApplication')).data
  bodyOf(await applicant.call('confirmData', { params: { id: applicationId }, body: toWire(firstPassport) }))
  const query = { applicationId }
  let page = ''
  if (source === 'mtn' || source === 'orange')
    bodyOf(await applicant.call('startMobilePayment', { query: { ...query, phone } }))
  else if (source === 'smobilpay' || source === 'collect') {
    const body = { phone, paymentMethod: 'MTN-Money', name: 'Ngo', otp: '' }
    bodyOf(await applicant.call('startAggregatorPayment', { query, body }))
  } else if (source === 'uba') page = bodyOf(await applicant.call('startUbaPayment', { query })).page ?? ''
  else {
    const body = { method: source === 'bacm' ? ('BACM' as const) : ('CARD' as const) }
    page = bodyOf(await applicant.call('startCardPayment', { query, body })).page ?? ''
  }
  const { payment, order } = await readOrder(server, applicationId, source)
  return { application: applicationId, payment, order: { ...order, ticket: page.slice('/pay/card/'.length) } }
}

async function readOrder({ services }: TestServer, applicationId: string, source: WebhookSource) {
  const row = await services.db
    .selectFrom('payment')
    .select(['id', 'order_id', 'provider_reference', 'return_id'])
    .where('application_id', '=', applicationId)
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow()
  const order: Order = {
    source,
    number: row.order_id,
    reference: row.provider_reference ?? '',
    returnId: row.return_id ?? '',
    ticket: '',
  }
  return { payment: row.id, order }
}

/** A valid request for every call. The compiler names a new call that is missing here. */
export function validRequests(subject: Subject, random: RandomSource): Record<EndpointName, ValidRequest> {
  const application = { params: { id: subject.application } }
  const appointment = { params: { id: subject.appointment } }
  const payment = { params: { id: subject.payment } }
  const query = { applicationId: subject.application }
  const form = { ...toWire(firstPassport) }
  const contact = { msisdn: subject.phone, email: '' }
  const office = { params: { officeId: '1' } }
  const card = { query, body: { returnUrl: '' } }
  const date = subject.freeTime.slice(0, 10) || '2030-01-01'
  return {
    auth: { body: contact },
    getSiteKey: {},
    login: { body: { ...contact, otp: '123456' } },
    refreshToken: {},
    logout: {},
    version: {},
    captchaChallenge: { query: { work: '1' } },
    addContact: { body: { msisdn: `2376${random.below(90_000_000) + 10_000_000}`, email: '' } },
    confirmContact: { body: { ...contact, otp: '123456' } },
    readAccount: {},
    askProofCode: { body: { kind: 'phone' } },
    proveContact: { body: { kind: 'phone', otp: '123456' } },
    removeContact: { body: { kind: 'email' } },
    askDormantCode: { body: { ...contact, ticket: 'abc' } },
    answerDormant: {
      body: {
        ticket: 'abc',
        answer: {
          kind: 'application',
          applicationNumber: 'PP-2026-000001-1',
          birth: { day: '1', month: '2', year: '1990' },
        },
      },
    },
    undoContactChange: { body: { code: 'ABCDEFGH' } },
    endSession: { params: { id: subject.session } },
    downloadData: { query: { format: random.pick(['json', 'html']) } },
    deleteAccount: {},
    keepAccount: {},
    endOtherSessions: {},
    createApplication: {},
    listApplications: {},
    deleteApplication: application,
    saveData: { ...application, body: { ...form, draft: true } },
    readData: application,
    confirmData: { ...application, body: form },
    getPdf: application,
    receiptTicket: application,
    postPdf: { params: { id: subject.application, file: 'receipt.pdf' }, body: { token: 'a.b.c' } },
    listCountries: {},
    listProfessions: {},
    listRegions: {},
    listDepartments: { query: { region: 'CENTRE' } },
    listLocalities: { query: { region: 'CENTRE', department: 'MFOUNDI' } },
    listHomePlaces: {},
    createAppointment: {
      body: {
        applicationId: subject.application,
        officeId: '1',
        appointmentDate: subject.freeTime === '' ? null : subject.freeTime,
        generalQueue: subject.freeTime === '',
      },
    },
    readAppointment: appointment,
    updateAppointment: { ...appointment, body: { cancel: true } },
    confirmAppointment: appointment,
    listOfficeCountries: {},
    listCities: { params: { countryId: '10998' } },
    listOffices: { query: { cityId: '1' } },
    readOffice: office,
    endKiosk: { body: { code: '123456' } },
    listAvailableDates: { ...office, query },
    listAvailableSlots: { ...office, query: { date } },
    readWatch: application,
    startWatch: { ...application, body: { officeId: '1' } },
    stopWatch: application,
    startMobilePayment: { query: { ...query, phone: subject.phone } },
    startAggregatorPayment: {
      query,
      body: { phone: subject.phone, paymentMethod: 'Orange-Money', name: 'Ngo', otp: '1234' },
    },
    startCardPayment: card,
    startUbaPayment: card,
    startMockPayment: { query },
    startWhitelistPayment: { query },
    confirmPayment: { ...payment, body: { otp: '1234' } },
    cancelPayment: payment,
    listPaymentMethods: { query },
    listPayments: { query },
    listPaymentAttempts: application,
    paymentProof: application,
    readPayment: { ...payment, query },
  }
}
