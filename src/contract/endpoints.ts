import * as z from 'zod/mini'
import {
  Account,
  AccountDeletion,
  DataFile,
  dataFormats,
  OwnContactBody,
  ProofBody,
  ProofRequestBody,
  UndoAnswer,
  UndoBody,
} from './account.ts'
import { ApplicationData, SaveBody } from './application.ts'
import { Appointment, AppointmentRequest, AppointmentUpdate, AvailableDates } from './appointment.ts'
import { languages } from './codes.ts'
import { DormantAnswerBody, DormantCodeBody } from './dormant.ts'
import { City, Country, Division, HomeRegion, Locality, Occupation, Office } from './dictionary.ts'
import { ApplicationId, ApplicationNumber, AppointmentId, PaymentId, SessionId } from './ids.ts'
import { ListedApplication } from './listed-application.ts'
import { AggregatorBody } from './payer-input.ts'
import {
  CardAnswer,
  CardBody,
  Payment,
  PaymentAttempt,
  PaymentCodeBody,
  PaymentMethod,
  StartedPayment,
} from './payment.ts'
import {
  data,
  type Endpoint,
  getCall,
  inLanguage,
  lg,
  nothing,
  signInEndpoints,
  postCall,
} from './sign-in-endpoints.ts'
import { CodeAnswer, ContactBody, LoginAnswer, LoginBody, RefreshAnswer } from './session.ts'
import { WatchAnswer, WatchRequest } from './watch.ts'

const ofApplication = z.object({ applicationId: ApplicationId })
/** A day, or a date-time of which only the day counts. */
const day = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}/))
const list = <Item extends z.ZodMiniType>(item: Item) => data(data(z.array(item)))
const applicationParams = z.object({ id: ApplicationId })
const appointmentParams = z.object({ id: AppointmentId })
const startPayment = {
  ...postCall,
  query: ofApplication,
  answer: data(StartedPayment),
  fitsRefusal: true,
} as const
const startCard = { ...postCall, query: ofApplication, body: CardBody, answer: CardAnswer } as const

/** In `features` of the version: this server checks the code that ends the kiosk mode of a device (D38). */
export const endKioskFeature = 'endKiosk'

/**
 * All calls of the portal. The client makes calls from this list; the server must implement every entry. `Endpoint` explains the
 * properties. `writes` says whether a call accepts an idempotency key, not whether it changes data.
 */
export const endpoints = {
  ...signInEndpoints,

  /** Sends a code to a second contact of the applicant. `confirmContact` adds this contact with the code. */
  addContact: {
    ...postCall,
    row: 'F5',
    path: '/contacts',
    query: inLanguage,
    body: ContactBody,
    answer: CodeAnswer,
    saysShared: true,
    writes: false,
  },
  confirmContact: {
    ...postCall,
    row: 'F5',
    path: '/contacts/confirm',
    query: inLanguage,
    body: LoginBody,
    answer: data(RefreshAnswer),
    saysShared: true,
    writes: false,
  },

  /** Sends a code to the other contact of a dormant account, if the typed contact is that (D122). */
  askDormantCode: {
    ...postCall,
    row: 'D122',
    path: '/login/dormant/code',
    access: 'open',
    query: inLanguage,
    body: DormantCodeBody,
    answer: CodeAnswer,
    writes: false,
  },
  /** Answers the question of a dormant account, and opens a session (D122). */
  answerDormant: {
    ...postCall,
    row: 'D122',
    path: '/login/dormant',
    access: 'open',
    query: inLanguage,
    body: DormantAnswerBody,
    answer: data(LoginAnswer),
    saysShared: true,
    writes: false,
  },

  readAccount: { ...getCall, row: 'NAV31', path: '/account', answer: data(Account) },
  /** Sends a code to a contact of the applicant, which the next call proves again (D70). */
  askProofCode: {
    ...postCall,
    row: 'D70',
    path: '/account/proof',
    query: inLanguage,
    body: ProofRequestBody,
    answer: CodeAnswer,
    saysShared: true,
    writes: false,
  },
  proveContact: {
    ...postCall,
    row: 'D70',
    path: '/account/proof/confirm',
    query: inLanguage,
    body: ProofBody,
    answer: nothing,
    saysShared: true,
    writes: false,
  },
  removeContact: {
    ...postCall,
    row: 'D70',
    path: '/account/contacts/remove',
    query: inLanguage,
    body: OwnContactBody,
    answer: data(RefreshAnswer),
    writes: false,
  },
  /** Undoes a change of contacts with the code of its message. Open, because the change may have locked the owner out. */
  undoContactChange: {
    ...postCall,
    row: 'D70',
    path: '/account/contacts/undo',
    access: 'open',
    query: inLanguage,
    body: UndoBody,
    // An older server says nothing: it undoes all, or refuses.
    answer: data(z._default(UndoAnswer, { isComplete: true })),
    writes: false,
  },
  endSession: {
    ...postCall,
    row: 'NAV31',
    path: '/account/sessions/:id/end',
    params: z.object({ id: SessionId }),
    answer: nothing,
  },
  /** What the server has stored about the account, without some columns such as hashes of valid codes (D98). */
  downloadData: {
    ...getCall,
    row: 'D98',
    path: '/account/data',
    query: z.object({ lg, format: z.enum(dataFormats) }),
    answer: data(DataFile),
  },
  /** Announces the deletion of the account, after a fresh code to one of its contacts (D70, D112). */
  deleteAccount: {
    ...postCall,
    row: 'D112',
    path: '/account/delete',
    query: inLanguage,
    answer: data(AccountDeletion),
    writes: false,
  },
  /** Cancels the deletion of the account. The token in the answer has no `deletesAt`. */
  keepAccount: {
    ...postCall,
    row: 'D112',
    path: '/account/keep',
    query: inLanguage,
    answer: data(RefreshAnswer),
    writes: false,
  },
  endOtherSessions: { ...postCall, row: 'NAV31', path: '/account/sessions/end-others', answer: nothing },

  createApplication: {
    ...postCall,
    row: 'API07',
    path: '/applications',
    /** `isExisting`: the applicant had this unpaid application already, and none was created; not in the specification. */
    answer: data(
      z.object({
        id: ApplicationId,
        applicationNumber: ApplicationNumber,
        isExisting: z.optional(z.boolean()),
      }),
    ),
  },
  listApplications: {
    ...getCall,
    row: 'API08',
    path: '/applications',
    /** `applicantId`: of the caller; this server refuses any other. */
    query: z.object({ applicantId: z.optional(z.string()) }),
    /**
     * `epoch`, and `time` in UTC by the clock of the server: so that the device finds what a restore has undone (D62); not in
     * the specification.
     */
    answer: z.object({
      data: z.array(ListedApplication),
      epoch: z.optional(z.string()),
      time: z.optional(z.string()),
    }),
  },
  /** The applicant deletes an application whose data were never confirmed. */
  deleteApplication: {
    ...postCall,
    row: 'LST10',
    path: '/applications/:id/delete',
    params: applicationParams,
    answer: data(z.object({ currentState: z.string() })),
  },
  saveData: {
    ...postCall,
    row: 'API09',
    path: '/applications/:id/data',
    params: applicationParams,
    body: SaveBody,
    /** The specification gives no body. `digest` proves what the server now has (D61). */
    answer: data(
      z.object({
        version: z.optional(z.number()),
        currentState: z.optional(z.string()),
        epoch: z.optional(z.string()),
        digest: z.optional(z.string()),
      }),
    ),
    mayBeEmpty: true,
    fitsRefusal: true,
  },
  readData: {
    ...getCall,
    row: 'API10',
    path: '/applications/:id/data',
    params: applicationParams,
    answer: data(ApplicationData),
  },
  confirmData: {
    ...postCall,
    row: 'API11',
    path: '/applications/:id/confirmData',
    params: applicationParams,
    body: SaveBody,
    /** `version` and `epoch`: of the confirmed form, so that the device can keep it as the server's (D62). */
    answer: data(
      z.object({
        currentState: z.optional(z.string()),
        version: z.optional(z.number()),
        epoch: z.optional(z.string()),
      }),
    ),
    mayBeEmpty: true,
    fitsRefusal: true,
  },
  getPdf: {
    ...getCall,
    row: 'API12',
    path: '/applications/:id/get-pdf',
    params: applicationParams,
    query: z.object({ lg: z.optional(z.enum(languages)) }),
    answer: 'file',
  },
  /** A ticket for the form of `postPdf`: valid for a minute, once (S13). */
  receiptTicket: {
    ...postCall,
    row: 'S13',
    path: '/applications/:id/receipt-ticket',
    params: applicationParams,
    answer: data(z.object({ ticket: z.string() })),
    writes: false,
  },
  postPdf: {
    ...postCall,
    row: 'API13',
    path: '/applications/:id/get-pdf/v2/:file',
    access: 'ticket',
    params: z.object({ id: ApplicationId, file: z.string().check(z.maxLength(100)) }),
    body: z.object({ token: z.string().check(z.maxLength(4_000)) }),
    answer: 'file',
    writes: false,
  },
  listCountries: {
    ...getCall,
    row: 'API14',
    path: '/applications/countries',
    query: inLanguage,
    answer: list(Country),
  },

  listProfessions: {
    ...getCall,
    row: 'API15',
    path: '/dictionary/professions',
    query: inLanguage,
    answer: list(Occupation),
  },
  listRegions: {
    ...getCall,
    row: 'API16',
    path: '/dictionary/regions',
    query: inLanguage,
    answer: list(Division),
  },
  listDepartments: {
    ...getCall,
    row: 'API17',
    path: '/dictionary/departments',
    query: z.object({ lg, region: z.string().check(z.maxLength(40)) }),
    answer: list(Division),
  },
  listLocalities: {
    ...getCall,
    row: 'API18',
    path: '/dictionary/localities',
    query: z.object({
      lg,
      region: z.string().check(z.maxLength(40)),
      department: z.string().check(z.maxLength(40)),
    }),
    answer: list(Locality),
  },
  listHomePlaces: {
    ...getCall,
    row: 'D35',
    path: '/dictionary/home-places',
    query: inLanguage,
    answer: list(HomeRegion),
  },

  createAppointment: {
    ...postCall,
    row: 'API19',
    path: '/appointments',
    query: inLanguage,
    body: AppointmentRequest,
    answer: data(z.object({ id: AppointmentId })),
  },
  readAppointment: {
    ...getCall,
    row: 'API20',
    path: '/appointments/:id',
    params: appointmentParams,
    query: inLanguage,
    answer: data(Appointment),
  },
  updateAppointment: {
    ...postCall,
    row: 'API21',
    path: '/appointments/:id',
    params: appointmentParams,
    query: inLanguage,
    body: AppointmentUpdate,
    answer: data(z.object({ id: z.optional(AppointmentId) })),
    mayBeEmpty: true,
    fitsRefusal: true,
  },
  confirmAppointment: {
    ...postCall,
    row: 'API22',
    path: '/appointments/:id/confirm',
    params: appointmentParams,
    query: inLanguage,
    answer: data(z.boolean()),
  },
  listOfficeCountries: {
    ...getCall,
    row: 'API23',
    path: '/appointments/countries',
    query: inLanguage,
    answer: list(Country),
  },
  listCities: {
    ...getCall,
    row: 'API24',
    path: '/appointments/countries/:countryId/cities',
    params: z.object({ countryId: z.string().check(z.maxLength(40)) }),
    query: inLanguage,
    answer: list(City),
  },
  listOffices: {
    ...getCall,
    row: 'API25',
    path: '/appointments/offices',
    query: z.object({ lg, cityId: z.string().check(z.maxLength(40)) }),
    answer: list(Office),
  },
  /** The name of one office, for the header of a kiosk. Open, because a kiosk shows it before the sign-in. */
  readOffice: {
    ...getCall,
    row: 'D38',
    path: '/appointments/offices/:officeId',
    access: 'open',
    params: z.object({ officeId: z.string().check(z.maxLength(64)) }),
    query: inLanguage,
    answer: data(z.object({ name: z.string() })),
  },
  /** Checks the code with which office staff end the kiosk mode of a device (D38). Open, because staff do not sign in. */
  endKiosk: {
    ...postCall,
    row: 'OFF18',
    path: '/appointments/kiosk/end',
    access: 'open',
    body: z.object({ code: z.string().check(z.maxLength(100)) }),
    answer: nothing,
    writes: false,
  },
  listAvailableDates: {
    ...getCall,
    row: 'API26',
    path: '/appointments/offices/:officeId/available-dates',
    params: z.object({ officeId: z.string().check(z.maxLength(40)) }),
    query: ofApplication,
    answer: data(AvailableDates),
  },
  listAvailableSlots: {
    ...getCall,
    row: 'API27',
    path: '/appointments/offices/:officeId/available-slots',
    params: z.object({ officeId: z.string().check(z.maxLength(40)) }),
    /** `applicationId` is not in the specification: the time that this application holds is free for it alone. */
    query: z.object({ date: day, applicationId: z.optional(ApplicationId) }),
    answer: list(z.string()),
  },

  /** The watch of an application: a request for a notification about an earlier date, or any date. */
  readWatch: {
    ...getCall,
    row: 'F10',
    path: '/applications/:id/watch',
    params: applicationParams,
    query: inLanguage,
    answer: data(WatchAnswer),
  },
  startWatch: {
    ...postCall,
    row: 'F10',
    path: '/applications/:id/watch',
    params: applicationParams,
    query: inLanguage,
    body: WatchRequest,
    answer: data(WatchAnswer),
  },
  stopWatch: {
    ...postCall,
    row: 'F10',
    path: '/applications/:id/watch/stop',
    params: applicationParams,
    answer: data(WatchAnswer),
  },

  startMobilePayment: {
    ...startPayment,
    row: 'API28',
    path: '/payments/mobile-payment-init',
    query: z.object({
      applicationId: ApplicationId,
      phone: z._default(z.string().check(z.maxLength(40)), ''),
    }),
  },
  startAggregatorPayment: {
    ...startPayment,
    row: 'API29',
    path: '/payments/aggregator-payment-init',
    body: AggregatorBody,
  },
  startCardPayment: { ...startCard, row: 'API30', path: '/payments/card-payment-init' },
  startUbaPayment: { ...startCard, row: 'API30', path: '/payments/uba-payment-init' },
  startMockPayment: { ...startPayment, row: 'API31', path: '/payments/mock-payment-init' },
  startWhitelistPayment: {
    ...startPayment,
    row: 'API31',
    path: '/payments/whitelist-payment-init',
    answer: data(z.partial(StartedPayment)),
    mayBeEmpty: true,
  },
  confirmPayment: {
    ...postCall,
    row: 'API32',
    path: '/payments/:id/confirm',
    params: z.object({ id: PaymentId }),
    body: PaymentCodeBody,
    answer: data(z.partial(StartedPayment)),
    mayBeEmpty: true,
    fitsRefusal: true,
  },
  /** Cancels an open order that can take no money. Returns the payment with its status after the call. */
  cancelPayment: {
    ...postCall,
    row: 'F1',
    path: '/payments/:id/cancel',
    params: z.object({ id: PaymentId }),
    answer: data(Payment),
  },
  listPaymentMethods: {
    ...getCall,
    row: 'API35',
    path: '/payments/payment-methods',
    query: z.object({ applicationId: z.optional(ApplicationId) }),
    answer: data(z.array(PaymentMethod)),
  },
  listPayments: {
    ...getCall,
    row: 'API34',
    path: '/payments',
    query: z.object({ applicationId: ApplicationId, lastSuccess: z.optional(z.enum(['true', 'false'])) }),
    // Another back end may send null when there is no payment.
    answer: data(
      z.pipe(
        z.nullable(z.array(Payment)),
        z.transform(payments => payments ?? []),
      ),
    ),
  },
  /** The case file of an application: all payment attempts, the newest first. */
  listPaymentAttempts: {
    ...getCall,
    row: 'F1',
    path: '/payments/applications/:id/attempts',
    params: applicationParams,
    answer: data(z.array(PaymentAttempt)),
  },
  /** The case file as a PDF, in the language `lg`; without `lg`, in that of the application. */
  paymentProof: {
    ...getCall,
    row: 'F1',
    path: '/payments/applications/:id/proof',
    params: applicationParams,
    query: z.object({ lg: z.optional(z.enum(languages)) }),
    answer: 'file',
  },
  readPayment: {
    ...getCall,
    row: 'API33',
    path: '/payments/:id',
    params: z.object({ id: PaymentId }),
    // `wait`: the server may hold the request until the payment ends, at most `paymentWaitMs` (D68).
    query: z.extend(ofApplication, { wait: z.optional(z.literal('true')) }),
    answer: data(Payment),
  },
} as const satisfies Record<string, Endpoint>

export type EndpointName = keyof typeof endpoints
type Of<Name extends EndpointName> = (typeof endpoints)[Name]

/** The input of a call before the schemas add defaults; `ParsedCallInput` is the input after that, as a handler gets it. */
export type CallInput<Name extends EndpointName> = {
  params: z.input<Of<Name>['params']>
  query: z.input<Of<Name>['query']>
  body: z.input<Of<Name>['body']>
}
export type ParsedCallInput<Name extends EndpointName> = {
  params: z.output<Of<Name>['params']>
  query: z.output<Of<Name>['query']>
  body: z.output<Of<Name>['body']>
}
export type AnswerInput<Name extends EndpointName> = Of<Name>['answer'] extends z.ZodMiniType
  ? z.input<Of<Name>['answer']>
  : Uint8Array
export type AnswerOutput<Name extends EndpointName> = Of<Name>['answer'] extends z.ZodMiniType
  ? z.output<Of<Name>['answer']>
  : Uint8Array
