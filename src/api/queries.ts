import { type QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query'
import type { AnswerOutput, CallInput } from '#contract/endpoints.ts'
import type { Language } from '#contract/codes.ts'
import type { ApplicationId, AppointmentId, PaymentId } from '#contract/ids.ts'
import type { Device } from '#device/device.ts'
import { caseFileFeature, type Payment, paymentWaitFeature, paymentWaitMs } from '#contract/payment.ts'
import { createAutomaticReads } from './automatic-reads.ts'
import { type CachedCallParts, callOrReadCache, callOrThrow, readCachedAnswer } from './cached-call.ts'
import type { Call, CallOptions } from './client.ts'
import {
  addToCachedList,
  advance,
  advanceInCachedList,
  type BookedAppointment,
  bookInCachedList,
  type CreatedApplication,
} from './cached-list.ts'
import { createLostSteps, type LostSteps } from './lost-steps.ts'
import { PortalQueryClient, readNewest, watchNewest } from './newest-read.ts'
import { askedDelayMs, ProblemError } from './result.ts'

const dayMs = 24 * 60 * 60 * 1_000

export function createQueryClient(): QueryClient {
  return new PortalQueryClient({
    defaultOptions: {
      queries: {
        behavior: readNewest,
        // The service worker may answer while the device is offline, so TanStack Query must not pause queries.
        networkMode: 'always',
        // After one second, as TanStack Query waits before a first retry.
        retry: (failures, error) =>
          failures < 1 && error instanceof ProblemError && error.problem.kind === 'unreachable',
        staleTime: 30_000,
        refetchOnWindowFocus: false,
      },
    },
  })
}

/**
 * A screen requests these answers again each time it opens, but not when the screen before it has just prefetched them.
 * After the prefetch the guard of the screen still waits for the list of applications. So the answers stay fresh for
 * the time in which, on a slow connection, this list arrives and the screen renders once. A write must invalidate what
 * it changes.
 */
const freshAfterPrefetch = { staleTime: 2_000 }

export type Queries = ReturnType<typeof createQueries>

type Options = Omit<CachedCallParts, 'call'> & {
  /** Whether the server has this feature (D5); undefined while the server has not answered. */
  hasFeature: (name: string) => Promise<boolean | undefined>
  device: Pick<Device, 'withLock' | 'now' | 'monotonic'>
}

/**
 * Creates query options for reads of the server, each under one query key. Some reads also use the cache of this device;
 * `lostSteps` reads only this cache.
 */
export function createQueries(send: Call, options: Options) {
  const { cache, device } = options
  const lostSteps = createLostSteps(cache.orThrow, device)
  // The reads that the portal begins without an act of the applicant. The mark `automatic` changes what a refusal does (D89).
  const { isReading, ...automaticReads } = createAutomaticReads(personal)
  const call: Call = (name, input, given) => send(name, input, { ...given, automatic: isReading() })
  const parts = { ...options, call, lostSteps }
  /** The session may have ended since the answer that is to be remembered. */
  const rememberOfOwn = async (write: (applicantId: string) => Promise<void>) => {
    const applicantId = options.signedInId()
    if (applicantId !== undefined) await write(applicantId)
  }
  return {
    ...applicationQueries(parts),
    ...formListQueries(call),
    ...officeQueries(call),
    ...appointmentQueries(parts),
    ...paymentQueries(parts),
    ...automaticReads,
    keyOf,
    /** Reads what this device has cached of a booking, possibly stale: show it only until the server has answered. */
    async cachedBooking(id: ApplicationId, appointmentId: AppointmentId, lg: Language) {
      const [appointment, application] = await Promise.all([
        readCachedAnswer(cache, 'readAppointment', { params: { id: appointmentId }, query: { lg } }),
        readCachedAnswer(cache, 'readData', { params: { id } }),
      ])
      return { appointment: appointment?.data, application: application?.data }
    },
    /** Removes a payment or booking that the server has lost: the applicant has pressed the button of its panel. */
    forgetLostStep: lostSteps.forget,
    /** Adds a new application to the cached list, because a guard may have to read this list without a connection. */
    rememberCreated: (applicantId: string, created: CreatedApplication) =>
      addToCachedList(cache, applicantId, created),
    /** Writes to the cached list that the server has taken the confirmed data of the application, for the same reason. */
    rememberConfirmed: (appId: ApplicationId) =>
      rememberOfOwn(applicantId => advanceInCachedList(cache, applicantId, appId, 'data-confirmed')),
    /**
     * Writes to the cached list that the application is paid, for the same reason. Also to the list in memory:
     * otherwise the answer about its payments causes a second read of the list (`readUnpaidAgain`).
     */
    rememberPaid: (client: QueryClient, appId: ApplicationId) =>
      rememberOfOwn(applicantId => {
        client.setQueryData<ListedApplications>(keyOf('applications', applicantId), list =>
          list?.map(listed => (listed.id === appId ? advance(listed, 'payment-succeeded') : listed)),
        )
        return advanceInCachedList(cache, applicantId, appId, 'payment-succeeded')
      }),
    /** Writes a confirmed appointment to the cached list, for the same reason. */
    rememberBooked: (booked: BookedAppointment) =>
      rememberOfOwn(applicantId => bookInCachedList(cache, applicantId, booked)),
  }
}

type QueryName =
  | keyof ReturnType<typeof applicationQueries>
  | keyof ReturnType<typeof formListQueries>
  | keyof ReturnType<typeof officeQueries>
  | keyof ReturnType<typeof appointmentQueries>
  | keyof ReturnType<typeof paymentQueries>

/** The queries of the applicant's own data that also use the cache of this device. */
const personal: readonly QueryName[] = [
  'applications',
  'applicationData',
  'appointment',
  'lastSuccessfulPayment',
  'paymentAttempts',
]

/**
 * Returns the beginning of the keys of all queries with this name and these first arguments: a key is the name of its query
 * and then its arguments.
 */
function keyOf(...key: [name: QueryName, ...firstArguments: string[]]): readonly string[] {
  return key
}

type Parts = { call: Call; lostSteps: LostSteps } & Options

/** A failure of such a call shows no notice (S29). */
const inBackground = { background: true }

/** Dictionaries change rarely: an answer stays fresh and in memory for a day. */
const dictionary = { staleTime: dayMs, gcTime: dayMs }

const listStaleMs = 5_000

function applicationQueries(parts: Parts) {
  return {
    account: () =>
      queryOptions({
        queryKey: ['account'],
        queryFn: async () => (await callOrThrow(parts.call, 'readAccount', {}, inBackground)).data,
        staleTime: 0,
      }),
    applications: (applicantId: string) =>
      queryOptions({
        queryKey: ['applications', applicantId],
        // Not `{ ...context, applicantId }`: it reads `signal`, so TanStack Query would cancel the read when the screen closes.
        queryFn: ({ client, queryKey }) => readApplications(parts, { client, queryKey, applicantId }),
        staleTime: listStaleMs,
        // Another device or the office may have acted while the page was in the background (D129).
        meta: { staleAtReturnMs: listStaleMs },
      }),
    lostSteps: (applicantId: string) =>
      queryOptions({
        queryKey: ['lostSteps', applicantId],
        queryFn: () => parts.lostSteps.read(applicantId),
        staleTime: Infinity,
      }),
    applicationData: (id: ApplicationId, options: CallOptions = {}) =>
      queryOptions({
        queryKey: ['applicationData', id],
        queryFn: async context => {
          const isNewest = watchNewest(context)
          return (await callOrReadCache(parts, 'readData', { params: { id } }, { ...options, isNewest })).data
        },
        ...freshAfterPrefetch,
      }),
  }
}

type ListRequest = { client: QueryClient; queryKey: QueryKey; applicantId: string }

/** Reads the list, and remembers which payments, bookings and changes of bookings the server no longer knows (D62). */
async function readApplications(parts: Parts, { client, queryKey, applicantId }: ListRequest) {
  const { cache, lostSteps, device } = parts
  const input = { query: { applicantId } }
  const earlierAnswer = readCachedAnswer(cache.orThrow, 'listApplications', input)
  const options = {
    toCacheable: withoutReservations,
    beforeWrite: rememberLost(client, earlierAnswer, lists =>
      lostSteps.rememberSteps(applicantId, {
        ...lists,
        now: Date.parse(lists.afterTime ?? '') || device.now(),
      }),
    ),
    isNewest: watchNewest({ client, queryKey }),
  }
  const { data } = await callOrReadCache(parts, 'listApplications', input, options)
  const receivedAt = { wallMs: device.now(), monotonicMs: device.monotonic() }
  return data.map(({ reservation, ...listed }) => ({
    ...listed,
    /** `receivedAt`: both clocks of the device, in milliseconds; `holdSeconds` is counted from then. */
    reservation: reservation && { ...reservation, receivedAt },
  }))
}

type Rows<Row> = { data: readonly Row[]; epoch?: string | undefined; time?: string | undefined }

/**
 * `isRestored`: the server was restored from a backup between the two answers. `beforeTime` and `afterTime`: the time of the
 * server in each of them.
 */
type Compared<Row> = {
  before: readonly Row[]
  after: readonly Row[]
  isRestored: boolean
  beforeTime: string | undefined
  afterTime: string | undefined
}

/**
 * Returns the function that remembers what the earlier answer had and a new answer lacks, and refreshes the query of the lost
 * steps. The screen does not wait for this function, because the storage may hang. It resolves to the time of the earlier
 * answer, or to false when the storage has failed: then the earlier answer must stay in the cache, because the next answer is
 * compared with it. `remember` resolves to whether the lost steps have changed.
 */
function rememberLost<Row>(
  client: QueryClient,
  earlierAnswer: Promise<Rows<Row> | undefined>,
  remember: (lists: Compared<Row>) => Promise<boolean>,
): (answer: Rows<Row>) => Promise<string | false | undefined> {
  // Without a new answer nothing reads the earlier one: its rejection is then handled here.
  earlierAnswer.catch(() => undefined)
  return async ({ data: after, epoch, time: afterTime }) => {
    const result = earlierAnswer.then(earlier => {
      if (!earlier) return undefined
      const isRestored = Boolean(earlier.epoch && epoch && earlier.epoch !== epoch)
      return remember({ before: earlier.data, after, isRestored, beforeTime: earlier.time, afterTime })
    })
    const outcome = await result.catch(() => 'storage-failed' as const)
    // Also after a failure: the memory of the page then has the lost steps that the storage did not take.
    if (outcome) void client.invalidateQueries({ queryKey: keyOf('lostSteps') })
    return outcome !== 'storage-failed' && (await earlierAnswer)?.time
  }
}

/** The calls that answer with a dictionary. */
type ListName =
  | 'listCountries'
  | 'listProfessions'
  | 'listRegions'
  | 'listDepartments'
  | 'listLocalities'
  | 'listOfficeCountries'
  | 'listCities'
  | 'listOffices'

type ItemsOf<Name extends ListName> =
  AnswerOutput<Name> extends { data: { data: infer Items } } ? Items : never

/** Returns the function that creates the query of a dictionary. Nothing is read while an argument in the key is ''. */
function createListQuery(call: Call) {
  return <Name extends ListName>(queryKey: readonly string[], name: Name, input: Partial<CallInput<Name>>) =>
    queryOptions({
      queryKey,
      queryFn: async () => {
        const answer = await callOrThrow(call, name, input, inBackground)
        return (answer as { data: { data: ItemsOf<Name> } }).data.data // each of these endpoints answers in this form
      },
      enabled: !queryKey.includes(''),
      ...dictionary,
    })
}

/** The lists of the form. */
function formListQueries(call: Call) {
  const list = createListQuery(call)
  return {
    countries: (lg: Language) => list(['countries', lg], 'listCountries', { query: { lg } }),
    professions: (lg: Language) => list(['professions', lg], 'listProfessions', { query: { lg } }),
    regions: (lg: Language) => list(['regions', lg], 'listRegions', { query: { lg } }),
    departments: (lg: Language, region: string) =>
      list(['departments', lg, region], 'listDepartments', { query: { lg, region } }),
    localities: (lg: Language, region: string, department: string) =>
      list(['localities', lg, region, department], 'listLocalities', { query: { lg, region, department } }),
  }
}

/** The lists of enrolment offices and of their free dates and times. */
function officeQueries(call: Call) {
  const list = createListQuery(call)
  return {
    officeCountries: (lg: Language) =>
      list(['officeCountries', lg], 'listOfficeCountries', { query: { lg } }),
    cities: (lg: Language, countryId: string) =>
      list(['cities', lg, countryId], 'listCities', { params: { countryId }, query: { lg } }),
    offices: (lg: Language, cityId: string) =>
      list(['offices', lg, cityId], 'listOffices', { query: { lg, cityId } }),
    availableDates: (officeId: string, applicationId: ApplicationId) =>
      queryOptions({
        queryKey: ['availableDates', officeId, applicationId],
        queryFn: async () =>
          (await callOrThrow(call, 'listAvailableDates', { params: { officeId }, query: { applicationId } }))
            .data,
        enabled: officeId !== '',
        staleTime: 0,
      }),
    availableSlots: (officeId: string, date: string, applicationId: ApplicationId) =>
      queryOptions({
        queryKey: ['availableSlots', officeId, date, applicationId],
        queryFn: async () => {
          const query = { date, applicationId }
          return (await callOrThrow(call, 'listAvailableSlots', { params: { officeId }, query })).data.data
        },
        enabled: officeId !== '' && date !== '',
        staleTime: 0,
      }),
  }
}

function appointmentQueries(parts: Parts) {
  return {
    watch: (id: ApplicationId, lg: Language) =>
      queryOptions({
        queryKey: ['watch', id, lg],
        queryFn: async () =>
          (await callOrThrow(parts.call, 'readWatch', { params: { id }, query: { lg } }, inBackground)).data
            .watch,
        staleTime: 0,
      }),
    appointment: (id: AppointmentId, lg: Language) =>
      queryOptions({
        queryKey: ['appointment', id, lg],
        queryFn: async context => {
          const input = { params: { id }, query: { lg } }
          const options = { toCacheable: withoutHold, isNewest: watchNewest(context) }
          return (await callOrReadCache(parts, 'readAppointment', input, options)).data
        },
        ...freshAfterPrefetch,
      }),
  }
}

function paymentQueries(parts: Parts) {
  return {
    paymentMethods: (applicationId: ApplicationId) =>
      queryOptions({
        queryKey: ['paymentMethods', applicationId],
        queryFn: async () =>
          (await callOrThrow(parts.call, 'listPaymentMethods', { query: { applicationId } })).data,
        ...freshAfterPrefetch,
      }),
    lastSuccessfulPayment: (applicationId: ApplicationId) =>
      queryOptions({
        queryKey: ['lastSuccessfulPayment', applicationId],
        queryFn: async context => {
          const input = { query: { applicationId, lastSuccess: 'true' } } as const
          const isNewest = watchNewest(context)
          return (await callOrReadCache(parts, 'listPayments', input, { isNewest })).data[0] ?? null
        },
        ...freshAfterPrefetch,
      }),
    /** A server without case files has no attempts to show. */
    paymentAttempts: (id: ApplicationId) =>
      queryOptions({
        queryKey: ['paymentAttempts', id],
        queryFn: async ({ client, queryKey }) => {
          const isNewest = watchNewest({ client, queryKey })
          if ((await parts.hasFeature(caseFileFeature)) === false) return []
          const input = { params: { id } }
          // Read before the call, because the answer may arrive after the log-out.
          const applicantId = parts.signedInId()
          const earlierAnswer = readCachedAnswer(parts.cache.orThrow, 'listPaymentAttempts', input)
          const beforeWrite = rememberLost(client, earlierAnswer, async lists =>
            applicantId === undefined ? false : parts.lostSteps.rememberOrders(applicantId, { id, ...lists }),
          )
          const options = { ...inBackground, beforeWrite, isNewest }
          const { data } = await callOrReadCache(parts, 'listPaymentAttempts', input, options)
          if (data.some(({ state }) => state === 'SUCCESS')) void readUnpaidAgain(client, id)
          return data
        },
        ...freshAfterPrefetch,
        // More retries than usual: without an answer the payment screen cannot warn of an open payment.
        retry: (failures, error) => failures < 5 && mayPass(error),
        retryDelay: (failures, error) =>
          Math.max(2 ** failures * 1_000, error instanceof ProblemError ? askedDelayMs(error.problem) : 0),
      }),
    payment: (applicationId: ApplicationId, id: PaymentId) =>
      queryOptions({
        queryKey: ['payment', applicationId, id],
        queryFn: async ({ client, queryKey }) => {
          // The first call does not wait, so that the page shows the payment at once.
          const mayWait = client.getQueryData<Payment>(queryKey)?.mayWait === true
          const waits = mayWait && (await parts.hasFeature(paymentWaitFeature)) === true
          const query = waits ? ({ applicationId, wait: 'true' } as const) : { applicationId }
          const options = waits ? { ...inBackground, signal: waitSignal() } : inBackground
          return (await callOrThrow(parts.call, 'readPayment', { params: { id }, query }, options)).data
        },
        staleTime: 0,
        retry: false,
      }),
  }
}

/** Reads the list again if it still shows this paid application as unpaid: the payment ended after the list was read. */
function readUnpaidAgain(client: QueryClient, id: ApplicationId): Promise<void> {
  return client.invalidateQueries({
    queryKey: keyOf('applications'),
    predicate: ({ state }) =>
      // Only the query of the list has this key.
      (state.data as ListedApplications | undefined)?.some(
        application => application.id === id && application.currentState === 'DATA_SAVED',
      ) ?? false,
  })
}

type ListedApplications = AnswerOutput<'listApplications'>['data']

/** Whether the same read may succeed later: the service did not answer, failed or was too busy. */
function mayPass(error: Error): boolean {
  return error instanceof ProblemError && ['unreachable', 'broken'].includes(error.problem.kind)
}

/** A shorter timeout than that of other calls: it ends a waiting request whose answer was lost. */
function waitSignal(): AbortSignal | undefined {
  return AbortSignal.timeout?.(paymentWaitMs + 5_000)
}

/** The remaining time of a hold is true only at the time of the answer. */
function withoutHold({ data }: AnswerOutput<'readAppointment'>) {
  return { data: { ...data, holdSeconds: null } }
}

function withoutReservations({ data, ...answer }: AnswerOutput<'listApplications'>) {
  return { ...answer, data: data.map(application => ({ ...application, reservation: null })) }
}
