import { QueryClient, queryOptions } from '@tanstack/react-query'
import type { AnswerOutput, CallInput, EndpointName } from '#contract/endpoints.ts'
import type { Language } from '#contract/codes.ts'
import type { ApplicationId, AppointmentId, PaymentId } from '#contract/ids.ts'
import { type Call, type CallOptions, loadWire, type Value } from './client.ts'
import { ProblemError } from './result.ts'

const minute = 60_000

/** Problems are values until they reach Query, which wants them thrown. */
async function ask<Name extends EndpointName>(
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
export type Memory = {
  keep(name: string, value: unknown): Promise<void>
  recall(name: string): Promise<unknown>
  /** Asking is in vain for now: the session waits for the line. */
  isAlone(): boolean
}

const noMemory: Memory = {
  keep: async () => undefined,
  recall: async () => undefined,
  isAlone: () => false,
}

/** What can be shown as it was last seen. */
type Remembered = 'listApplications' | 'readData' | 'readAppointment' | 'listPayments' | 'listPaymentAttempts'

/** `lasting`: what of an answer is still true later; all of it, unless said otherwise. */
type AskOptions<Name extends Remembered> = CallOptions & {
  lasting?: (answer: AnswerOutput<Name>) => AnswerOutput<Name>
}

/** Asks, and remembers the answer; without the line it is the last one. */
async function askOrRecall<Name extends Remembered>(
  { call, memory }: { call: Call; memory: Memory },
  name: Name,
  input: Partial<CallInput<Name>>,
  { lasting = answer => answer, ...options }: AskOptions<Name> = {},
): Promise<AnswerOutput<Name>> {
  const key = `${name} ${JSON.stringify(input)}`
  // Where the schemas cannot be had, nothing can be recalled, and the call says so itself.
  const wire = await loadWire().catch(() => undefined)
  const recall = async () => wire?.readKept(name, await memory.recall(key)).catch(() => undefined)
  const early = memory.isAlone() ? await recall() : undefined
  // The schema that read it belongs to this very name, here as below.
  if (early?.kind === 'value') return early.value as AnswerOutput<Name>
  const result = await call(name, input, options)
  if (result.ok) {
    const answer = result.value as AnswerOutput<Name>
    void memory.keep(key, lasting(answer))
    return answer
  }
  const { problem } = result
  const last = problem.kind === 'offline' || problem.kind === 'unreachable' ? await recall() : undefined
  if (last?.kind === 'value') return last.value as AnswerOutput<Name>
  throw new ProblemError(problem)
}

export type Queries = ReturnType<typeof createQueries>

/** What is asked of the server, each under its one key. Dictionaries are background calls (S29). */
export function createQueries(call: Call, memory = noMemory) {
  const parts = { call, memory }
  const dictionary = { staleTime: 24 * 60 * minute, gcTime: 24 * 60 * minute }
  const quiet = { background: true }
  return {
    applications: (applicantId: string) =>
      queryOptions({
        queryKey: ['applications', applicantId],
        queryFn: async () =>
          (
            await askOrRecall(
              parts,
              'listApplications',
              { query: { applicantId } },
              { lasting: withoutReservations },
            )
          ).data,
        staleTime: 5_000,
      }),
    applicationData: (id: ApplicationId) =>
      queryOptions({
        queryKey: ['application-data', id],
        queryFn: async () => (await askOrRecall(parts, 'readData', { params: { id } })).data,
        staleTime: 0,
      }),
    countries: (lg: Language) =>
      queryOptions({
        queryKey: ['countries', lg],
        queryFn: async () => (await ask(call, 'listCountries', { query: { lg } }, quiet)).data.data,
        ...dictionary,
      }),
    professions: (lg: Language) =>
      queryOptions({
        queryKey: ['professions', lg],
        queryFn: async () => (await ask(call, 'listProfessions', { query: { lg } }, quiet)).data.data,
        ...dictionary,
      }),
    regions: (lg: Language) =>
      queryOptions({
        queryKey: ['regions', lg],
        queryFn: async () => (await ask(call, 'listRegions', { query: { lg } }, quiet)).data.data,
        ...dictionary,
      }),
    departments: (lg: Language, region: string) =>
      queryOptions({
        queryKey: ['departments', lg, region],
        queryFn: async () => (await ask(call, 'listDepartments', { query: { lg, region } }, quiet)).data.data,
        enabled: region !== '',
        ...dictionary,
      }),
    localities: (lg: Language, region: string, department: string) =>
      queryOptions({
        queryKey: ['localities', lg, region, department],
        queryFn: async () =>
          (await ask(call, 'listLocalities', { query: { lg, region, department } }, quiet)).data.data,
        enabled: region !== '' && department !== '',
        ...dictionary,
      }),
    officeCountries: (lg: Language) =>
      queryOptions({
        queryKey: ['office-countries', lg],
        queryFn: async () => (await ask(call, 'listOfficeCountries', { query: { lg } }, quiet)).data.data,
        ...dictionary,
      }),
    cities: (lg: Language, countryId: string) =>
      queryOptions({
        queryKey: ['cities', lg, countryId],
        queryFn: async () =>
          (await ask(call, 'listCities', { params: { countryId }, query: { lg } }, quiet)).data.data,
        enabled: countryId !== '',
        ...dictionary,
      }),
    offices: (lg: Language, cityId: string) =>
      queryOptions({
        queryKey: ['offices', lg, cityId],
        queryFn: async () => (await ask(call, 'listOffices', { query: { lg, cityId } }, quiet)).data.data,
        enabled: cityId !== '',
        ...dictionary,
      }),
    availableDates: (officeId: string, applicationId: ApplicationId) =>
      queryOptions({
        queryKey: ['available-dates', officeId, applicationId],
        queryFn: async () =>
          (await ask(call, 'listAvailableDates', { params: { officeId }, query: { applicationId } })).data
            .data,
        enabled: officeId !== '',
        staleTime: 0,
      }),
    availableSlots: (officeId: string, date: string) =>
      queryOptions({
        queryKey: ['available-slots', officeId, date],
        queryFn: async () =>
          (await ask(call, 'listAvailableSlots', { params: { officeId }, query: { date } })).data.data,
        enabled: officeId !== '' && date !== '',
        staleTime: 0,
      }),
    watch: (id: ApplicationId, lg: Language) =>
      queryOptions({
        queryKey: ['watch', id, lg],
        queryFn: async () =>
          (await ask(call, 'readWatch', { params: { id }, query: { lg } }, quiet)).data.watch,
        staleTime: 0,
      }),
    appointment: (id: AppointmentId, lg: Language) =>
      queryOptions({
        queryKey: ['appointment', id, lg],
        queryFn: async () =>
          (
            await askOrRecall(
              parts,
              'readAppointment',
              { params: { id }, query: { lg } },
              { lasting: withoutHold },
            )
          ).data,
        staleTime: 0,
      }),
    paymentMethods: (applicationId: ApplicationId) =>
      queryOptions({
        queryKey: ['payment-methods', applicationId],
        queryFn: async () => (await ask(call, 'listPaymentMethods', { query: { applicationId } })).data,
        staleTime: 0,
      }),
    lastPayment: (applicationId: ApplicationId) =>
      queryOptions({
        queryKey: ['last-payment', applicationId],
        queryFn: async () =>
          (await askOrRecall(parts, 'listPayments', { query: { applicationId, lastSuccess: 'true' } }))
            .data[0] ?? null,
        staleTime: 0,
      }),
    /** A service that keeps no case files is taken to have nothing to tell. */
    paymentAttempts: (id: ApplicationId) =>
      queryOptions({
        queryKey: ['payment-attempts', id],
        queryFn: async () =>
          (await askOrRecall(parts, 'listPaymentAttempts', { params: { id } }, quiet)).data,
        staleTime: 0,
        retry: false,
      }),
    payment: (id: PaymentId, applicationId: ApplicationId) =>
      queryOptions({
        queryKey: ['payment', id],
        queryFn: async () =>
          (await ask(call, 'readPayment', { params: { id }, query: { applicationId } }, quiet)).data,
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
