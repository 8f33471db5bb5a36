import { afterEach, expect, it, vi } from 'vitest'
import { createQueryClient } from '#api/queries.ts'
import { enrolledKeptDays } from '#contract/codes.ts'
import { ApplicationId } from '#contract/ids.ts'
import { keptDays } from '#contract/retention.ts'
import { doNothing } from '#device/do-nothing.ts'
import { attempt } from '#support/fixtures/payment-fixture.ts'
import { createQueriesOnPhone } from '#support/fixtures/queries-on-phone.ts'
import { installFakeFetch } from '#support/providers/fake-fetch.ts'
import { createWaitingLocks } from '#support/providers/waiting-locks.ts'
import { eventually } from '#support/eventually.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

const appId = ApplicationId.parse('app-1')
const listed = { id: 'app-1', applicationNumber: 'PP-1', currentState: 'PAYMENT_DONE' }
const paid = attempt({ id: 'pay-1', state: 'SUCCESS' })

type Server = { state: string | undefined; attempts: (typeof paid)[]; mayAnswerList: Promise<void> }

/** A phone that has seen the paid application, and then a server that was restored from an older backup. */
async function openAfterRestore({
  createdAt = paid.createdAt,
  time,
}: { createdAt?: string | null; time?: string } = {}) {
  const phone = createQueriesOnPhone({ signedInId: () => 'ada' })
  const { queries, cache } = phone
  const client = createQueryClient()
  const server: Server = {
    state: 'PAYMENT_DONE',
    attempts: [{ ...paid, createdAt }],
    mayAnswerList: Promise.resolve(),
  }
  installFakeFetch(async ({ url }) => {
    if (url.includes('/attempts')) return { json: { data: server.attempts } }
    await server.mayAnswerList
    const { state: currentState } = server
    return { json: { data: currentState ? [{ ...listed, currentState }] : [], time } }
  })
  const readList = () => client.fetchQuery({ ...queries.applications('ada'), staleTime: 0 })
  const readAttempts = () => client.fetchQuery({ ...queries.paymentAttempts(appId), staleTime: 0 })
  const stepsOf = (applicantId: string) =>
    client.fetchQuery({ ...queries.lostSteps(applicantId), staleTime: 0 })
  await readList()
  await readAttempts()
  await eventually(() => expect(cache.size).toBe(2))
  Object.assign(server, { state: 'DATA_SAVED', attempts: [] })
  return { phone, server, readList, readAttempts, stepsOf }
}

const complete = [
  {
    id: 'app-1',
    application: { applicationNumber: 'PP-1', currentState: 'PAYMENT_DONE' },
    isPaymentLost: true,
    orders: [paid.orderNumber],
  },
]

it.each(['list', 'payments', 'both'])(
  'names a lost payment with its number when %s is read first (D62)',
  async first => {
    const { readList, readAttempts, stepsOf } = await openAfterRestore()
    if (first === 'list') await readList()
    if (first === 'payments') await readAttempts()
    await Promise.all([readAttempts(), readList()])
    await eventually(async () => expect(await stepsOf('ada')).toMatchObject(complete))
  },
)

it.each(['list', 'payments'])(
  'names a lost payment after the cache could not be read while the first answer about the %s came (D62)',
  async first => {
    const { phone, readList, readAttempts, stepsOf } = await openAfterRestore()
    const read = first === 'list' ? readList : readAttempts
    phone.storage = 'cannot be read'
    await read()
    phone.storage = 'works'
    await read()
    await eventually(async () =>
      expect(await stepsOf('ada')).toMatchObject([
        { id: 'app-1', isPaymentLost: true, orders: [paid.orderNumber] },
      ]),
    )
  },
)

// The phone's clock says 15 June 2026.
it.each([
  ['2025-06-10T09:05:00Z', 0],
  ['2025-06-20T09:05:00Z', 1],
])(
  'when an application without a date of appointment is missing and was paid on %s, remembers %i lost steps: the server erases after a year (D62, D113)',
  async (createdAt, count) => {
    const { phone, server, readList, stepsOf } = await openAfterRestore({ createdAt })
    server.state = undefined
    await readList()
    const [name = ''] = [...phone.cache.keys()].filter(each => each.startsWith('listApplications'))
    await eventually(() => expect(phone.cache.get(name)).toBe('{"data":[]}'))
    expect(await stepsOf('ada')).toHaveLength(count)
  },
)

// The phone's clock says 15 June 2026.
it.each([
  ['ahead', '2024-06-15T09:00:00Z', '2024-06-01T09:00:00Z', 1],
  ['behind', '2030-06-15T09:00:00Z', '2028-06-01T09:00:00Z', 0],
])(
  'counts the year by the time of the server when the clock of the phone is years %s (D62, D113)',
  async (_, time, createdAt, count) => {
    const { phone, server, readList, stepsOf } = await openAfterRestore({ createdAt, time })
    server.state = undefined
    await readList()
    const [name = ''] = [...phone.cache.keys()].filter(each => each.startsWith('listApplications'))
    await eventually(() => expect(phone.cache.get(name)).toContain('"data":[]'))
    expect(await stepsOf('ada')).toHaveLength(count)
  },
)

it('assumes no longer period than any rule that erases a paid application (D62, D113)', () => {
  const { enrolled, neverEnrolled, deletedApplications } = keptDays
  expect(Math.min(enrolled, neverEnrolled + deletedApplications)).toBe(enrolledKeptDays)
})

it('names a lost payment while the disk is full, and saves it when there is room again (D62)', async () => {
  const { phone, readList, readAttempts, stepsOf } = await openAfterRestore()
  phone.storage = 'is full'
  await Promise.all([readList(), readAttempts()])
  await eventually(async () => expect(await stepsOf('ada')).toMatchObject(complete))
  phone.storage = 'works'
  await Promise.all([readList(), readAttempts()])
  await eventually(() => expect(phone.cache.get('lost-steps ada')).toContain(paid.orderNumber))
  expect(await stepsOf('ada')).toMatchObject(complete)
})

it('keeps a payment that the applicant dismisses while the storage cannot be read, and removes it at the next try (D62)', async () => {
  const { phone, readList, stepsOf } = await openAfterRestore()
  const { queries } = phone
  await readList()
  await eventually(async () => expect(await stepsOf('ada')).toHaveLength(1))
  phone.storage = 'cannot be read'
  await queries.forgetLostStep('ada', 'app-1')
  phone.storage = 'works'
  expect(await stepsOf('ada')).toHaveLength(1)
  await queries.forgetLostStep('ada', 'app-1')
  expect(await stepsOf('ada')).toEqual([])
})

it('shows a lost payment to its own applicant only, also after the answer that reveals it has come (D31)', async () => {
  const { server, readList, stepsOf } = await openAfterRestore()
  let answer: () => void = doNothing
  server.mayAnswerList = new Promise(resolve => (answer = resolve))
  const reading = readList()
  expect(await stepsOf('ben')).toEqual([])
  answer()
  await reading
  await eventually(async () => expect(await stepsOf('ada')).toHaveLength(1))
  expect(await stepsOf('ben')).toEqual([])
})

it('keeps what two tabs have found at the same moment (D62)', async () => {
  const [cache, withLock] = [new Map<string, string>(), createWaitingLocks()]
  const tabs = ['app-1', 'app-2'].map(id => {
    const { queries } = createQueriesOnPhone({ signedInId: () => 'ada', cache, withLock })
    const client = createQueryClient()
    const readAttempts = () =>
      client.fetchQuery({ ...queries.paymentAttempts(ApplicationId.parse(id)), staleTime: 0 })
    return { readAttempts, readSteps: () => client.fetchQuery({ ...queries.lostSteps('ada'), staleTime: 0 }) }
  })
  const readInBoth = () => Promise.all(tabs.map(({ readAttempts }) => readAttempts()))
  const server = { attempts: [paid] }
  installFakeFetch(() => ({ json: { data: server.attempts } }))
  await readInBoth()
  await eventually(() => expect(cache.size).toBe(2))
  server.attempts = []
  await readInBoth()
  await eventually(async () => expect(await tabs[0]?.readSteps()).toHaveLength(2))
})
