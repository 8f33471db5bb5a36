import { QueryClient, queryOptions } from '@tanstack/react-query'
import type { AnswerOutput, CallInput, EndpointName } from '#contract/endpoints.ts'
import type { Language } from '#contract/codes.ts'
import type { ApplicationId, AppointmentId, PaymentId } from '#contract/ids.ts'
import { type Call, type CallOptions, loadResponseReader, type Value } from './client.ts'
import { ProblemError } from './result.ts'

const minuteMs = 60_000

/** Problems are values until they reach Query, which wants them thrown. */
async function callOrThrow<Name extends EndpointName>(
  call: Call,
  name: Name,
  input: Partial<CallInput<Name>>,
  options: CallOptions = {},
): Promise<Value<Name>> {
  const result = await call(name, input, options)
  if (!result.ok) throw new ProblemError(result.problem)
  return result.value
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // Offline the service worker may still answer; whether the line is up is never guessed here.
        networkMode: 'always',
        retry: (failures, error) =>
          failures < 1 && error instanceof ProblemError && error.problem.kind === 'unreachable',
        retryDelay: 1_000,
        staleTime: 30_000,
        refetchOnWindowFocus: false,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
}

/** What the server last answered, for when it cannot be asked (S92). */
export type AnswerCache = {
  write(name: string, value: unknown): Promise<void>
  read(name: string): Promise<unknown>
  /** Asking is in vain for now: the session waits for the line. */
  hasNoToken(): boolean
}

const noCache: AnswerCache = {
  write: async () => undefined,
  read: async () => undefined,
  hasNoToken: () => false,
}

/** What can be shown as it was last seen. */
type CachedEndpoint =
  | 'listApplications'
  | 'readData'
  | 'readAppointment'
  | 'listPayments'
  | 'listPaymentAttempts'

/** `lasting`: what of an answer is still true later; all of it, unless said otherwise. */
type CachedCallOptions<Name extends CachedEndpoint> = CallOptions & {
  toCacheable?: (answer: AnswerOutput<Name>) => AnswerOutput<Name>
}

/** Asks, and remembers the answer; without the line it is the last one. */
async function callOrReadCache<Name extends CachedEndpoint>(
  { call, cache }: { call: Call; cache: AnswerCache },
  name: Name,
  input: Partial<CallInput<Name>>,
  { toCacheable = answer => answer, ...options }: CachedCallOptions<Name> = {},
): Promise<AnswerOutput<Name>> {
  const key = `${name} ${JSON.stringify(input)}`
  // Where the schemas cannot be had, nothing can be recalled, and the call says so itself.
  const reader = await loadResponseReader().catch(() => undefined)
  const readCached = async () =>
    reader?.readCachedResponse(name, await cache.read(key)).catch(() => undefined)
  const cachedFirst = cache.hasNoToken() ? await readCached() : undefined
  // The schema that read it belongs to this very name, here as below.
  if (cachedFirst?.kind === 'value') return cachedFirst.value as AnswerOutput<Name>
  const result = await call(name, input, options)
  if (result.ok) {
    const answer = result.value as AnswerOutput<Name>
    void cache.write(key, toCacheable(answer))
    return answer
  }
  const { problem } = result
  const cached = problem.kind === 'offline' || problem.kind === 'unreachable' ? await readCached() : undefined
  if (cached?.kind === 'value') return cached.value as AnswerOutput<Name>
  throw new ProblemError(problem)
}

export type Queries = ReturnType<typeof createQueries>

/** What is asked of the server, each under its one key. Dictionaries are background calls (S29). */
export function createQueries(call: Call, cache = noCache) {
  const parts = { call, cache }
  const dictionary = { staleTime: 24 * 60 * minuteMs, gcTime: 24 * 60 * minuteMs }
  const inBackground = { background: true }
  return {
    applications: (applicantId: string) =>
      queryOptions({
        queryKey: ['applications', applicantId],
        queryFn: async () =>
          (
            await callOrReadCache(
              parts,
              'listApplications',
              { query: { applicantId } },
              { toCacheable: withoutReservations },
            )
          ).data,
        staleTime: 5_000,
      }),
    applicationData: (id: ApplicationId) =>
      queryOptions({
        queryKey: ['application-data', id],
        queryFn: async () => (await callOrReadCache(parts, 'readData', { params: { id } })).data,
        staleTime: 0,
      }),
    countries: (lg: Language) =>
      queryOptions({
        queryKey: ['countries', lg],
        queryFn: async () =>
          (await callOrThrow(call, 'listCountries', { query: { lg } }, inBackground)).data.data,
        ...dictionary,
      }),
    professions: (lg: Language) =>
      queryOptions({
        queryKey: ['professions', lg],
        queryFn: async () =>
          (await callOrThrow(call, 'listProfessions', { query: { lg } }, inBackground)).data.data,
        ...dictionary,
      }),
    regions: (lg: Language) =>
      queryOptions({
        queryKey: ['regions', lg],
        queryFn: async () =>
          (await callOrThrow(call, 'listRegions', { query: { lg } }, inBackground)).data.data,
        ...dictionary,
      }),
    departments: (lg: Language, region: string) =>
      queryOptions({
        queryKey: ['departments', lg, region],
        queryFn: async () =>
          (await callOrThrow(call, 'listDepartments', { query: { lg, region } }, inBackground)).data.data,
        enabled: region !== '',
        ...dictionary,
      }),
    localities: (lg: Language, region: string, department: string) =>
      queryOptions({
        queryKey: ['localities', lg, region, department],
        queryFn: async () =>
          (await callOrThrow(call, 'listLocalities', { query: { lg, region, department } }, inBackground))
            .data.data,
        enabled: region !== '' && department !== '',
        ...dictionary,
      }),
    officeCountries: (lg: Language) =>
      queryOptions({
        queryKey: ['office-countries', lg],
        queryFn: async () =>
          (await callOrThrow(call, 'listOfficeCountries', { query: { lg } }, inBackground)).data.data,
        ...dictionary,
      }),
    cities: (lg: Language, countryId: string) =>
      queryOptions({
        queryKey: ['cities', lg, countryId],
        queryFn: async () =>
          (await callOrThrow(call, 'listCities', { params: { countryId }, query: { lg } }, inBackground)).data
            .data,
        enabled: countryId !== '',
        ...dictionary,
      }),
    offices: (lg: Language, cityId: string) =>
      queryOptions({
        queryKey: ['offices', lg, cityId],
        queryFn: async () =>
          (await callOrThrow(call, 'listOffices', { query: { lg, cityId } }, inBackground)).data.data,
        enabled: cityId !== '',
        ...dictionary,
      }),
    availableDates: (officeId: string, applicationId: ApplicationId) =>
      queryOptions({
        queryKey: ['available-dates', officeId, applicationId],
        queryFn: async () =>
          (await callOrThrow(call, 'listAvailableDates', { params: { officeId }, query: { applicationId } }))
            .data.data,
        enabled: officeId !== '',
        staleTime: 0,
      }),
    availableSlots: (officeId: string, date: string) =>
      queryOptions({
        queryKey: ['available-slots', officeId, date],
        queryFn: async () =>
          (await callOrThrow(call, 'listAvailableSlots', { params: { officeId }, query: { date } })).data
            .data,
        enabled: officeId !== '' && date !== '',
        staleTime: 0,
      }),
    watch: (id: ApplicationId, lg: Language) =>
      queryOptions({
        queryKey: ['watch', id, lg],
        queryFn: async () =>
          (await callOrThrow(call, 'readWatch', { params: { id }, query: { lg } }, inBackground)).data.watch,
        staleTime: 0,
      }),
    appointment: (id: AppointmentId, lg: Language) =>
      queryOptions({
        queryKey: ['appointment', id, lg],
        queryFn: async () =>
          (
            await callOrReadCache(
              parts,
              'readAppointment',
              { params: { id }, query: { lg } },
              { toCacheable: withoutHold },
            )
          ).data,
        staleTime: 0,
      }),
    paymentMethods: (applicationId: ApplicationId) =>
      queryOptions({
        queryKey: ['payment-methods', applicationId],
        queryFn: async () =>
          (await callOrThrow(call, 'listPaymentMethods', { query: { applicationId } })).data,
        staleTime: 0,
      }),
    lastPayment: (applicationId: ApplicationId) =>
      queryOptions({
        queryKey: ['last-payment', applicationId],
        queryFn: async () =>
          (await callOrReadCache(parts, 'listPayments', { query: { applicationId, lastSuccess: 'true' } }))
            .data[0] ?? null,
        staleTime: 0,
      }),
    /** A service that keeps no case files is taken to have nothing to tell. */
    paymentAttempts: (id: ApplicationId) =>
      queryOptions({
        queryKey: ['payment-attempts', id],
        queryFn: async () =>
          (await callOrReadCache(parts, 'listPaymentAttempts', { params: { id } }, inBackground)).data,
        staleTime: 0,
        retry: false,
      }),
    payment: (id: PaymentId, applicationId: ApplicationId) =>
      queryOptions({
        queryKey: ['payment', id],
        queryFn: async () =>
          (await callOrThrow(call, 'readPayment', { params: { id }, query: { applicationId } }, inBackground))
            .data,
        staleTime: 0,
        retry: false,
      }),
  }
}

/** How long a place is still held is true at the moment of the answer only. */
function withoutHold({ data }: AnswerOutput<'readAppointment'>) {
  return { data: { ...data, holdSeconds: null } }
}

function withoutReservations({ data }: AnswerOutput<'listApplications'>) {
  return { data: data.map(application => ({ ...application, reservation: null })) }
}
