import { describe, expect, it } from 'vitest'
import type { Call } from '#api/client.ts'
import { failed, type Problem, type Result } from '#api/result.ts'
import { toApplicationId, toAppointmentId } from '#contract/id-text.ts'
import { loadReceipt } from '#sync/receipts.ts'

const cached = new Blob(['%PDF- %%EOF'], { type: 'application/pdf' })

/** Opens the receipt on a phone that has cached it, and whose calls to the server end with this problem. */
function openReceipt(problem: Problem) {
  const { parts } = createPhoneWithReceipt(async () => failed(problem))
  const connectivity = { isUnreachable: () => problem.kind === 'unreachable' }
  return loadReceipt({ ...parts, connectivity }, receipt)
}

const answer = { message: undefined, errors: [], data: undefined }

const receipt = {
  appId: toApplicationId('app-1'),
  appointmentId: toAppointmentId('visit-1'),
  language: 'fr',
} as const

it.each<[string, Problem]>([
  ['fails', { kind: 'broken', status: 500, statusCode: 500, ...answer }],
  ['is busy', { kind: 'refused', status: 429, statusCode: 429, ...answer }],
  ['does not answer', { kind: 'unreachable', cause: 'no-answer' }],
])('opens the receipt of this device when the server %s (D37)', async (_, problem) => {
  expect(await openReceipt(problem)).toBe(cached)
})

it('opens no receipt of this device when the server has none any more (D37)', async () => {
  const problem = { kind: 'refused', status: 404, statusCode: 404, ...answer } as const
  expect(await openReceipt(problem)).toBe(undefined)
})

/** A phone that has cached a receipt. `slow`: what happens during a read or a write of a file. */
function createPhoneWithReceipt(call: () => Promise<Result<unknown>>) {
  const files = new Map([['receipt app-1 for-visit-1', cached]])
  let token: string | undefined = 'token'
  const slow = { read: async () => {}, write: async () => {} }
  const parts = {
    call: call as Call,
    connectivity: { isUnreachable: () => false },
    session: { token: () => token, watchEnd: () => () => token === undefined },
    openStore: async () => ({
      responses: {
        write: async () => undefined,
        read: async () => undefined,
        writeFile: async (name: string, file: Blob) => {
          await slow.write()
          files.set(name, file)
        },
        readFile: async (name: string) => {
          const file = files.get(name)
          await slow.read()
          return file
        },
        remove: async (name: string) => void files.delete(name),
        namesWith: async () => [],
      },
    }),
  }
  return { parts, files, slow, logOut: async () => void (token = undefined) }
}

it.each([
  ['not-found', 404],
  ['wrong-state', 409],
  [undefined, 404],
])(
  'keeps the receipt for later when the refusal says %s: a restored server may have lost the booking (D37, D129)',
  async (reason, status) => {
    const phone = createPhoneWithReceipt(async () =>
      failed({ kind: 'refused', status, statusCode: status, reason, ...answer }),
    )
    const offline = { ...phone.parts, connectivity: { isUnreachable: () => true } }
    expect(await loadReceipt(phone.parts, receipt)).toBe(undefined)
    expect(await loadReceipt(offline, receipt)).toBe(cached)
  },
)

describe('loadReceipt during a log-out, after which the next person may use the phone (D31)', () => {
  it('returns no receipt when the log-out comes while the device reads the cached one', async () => {
    const { parts, slow, logOut } = createPhoneWithReceipt(async () => ({ ok: true, value: cached }))
    slow.read = logOut
    expect(await loadReceipt(parts, receipt)).toBe(undefined)
  })

  it('returns no receipt when the log-out comes while the device caches a new one', async () => {
    const sent = new Blob(['%PDF- new %%EOF'])
    const { parts, slow, logOut } = createPhoneWithReceipt(async () => ({ ok: true, value: sent }))
    slow.write = logOut
    expect(await loadReceipt(parts, receipt)).toBe(undefined)
  })

  it('caches no receipt when the log-out comes while the code of the store loads again after a failure', async () => {
    const sent = new Blob(['%PDF- new %%EOF'])
    const { parts, files, logOut } = createPhoneWithReceipt(async () => ({ ok: true, value: sent }))
    files.clear()
    let loads = 0
    const openStore = async () => {
      loads += 1
      if (loads === 1) throw new Error('not loaded')
      await logOut()
      return parts.openStore()
    }
    await loadReceipt({ ...parts, openStore }, receipt)
    expect([...files.keys()]).toEqual([])
  })
})
