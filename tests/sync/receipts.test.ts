import { expect, it } from 'vitest'
import { failed, type Problem } from '#api/result.ts'
import { toApplicationId, toAppointmentId } from '#contract/id-text.ts'
import { loadReceipt } from '#sync/receipts.ts'

const cached = new Blob(['%PDF- %%EOF'], { type: 'application/pdf' })

/** Opens the receipt on a phone that has cached it, and whose calls to the server end with this problem. */
function openReceipt(problem: Problem) {
  const parts: Parameters<typeof loadReceipt>[0] = {
    call: async () => failed(problem),
    connectivity: { isUnreachable: () => problem.kind === 'unreachable' },
    session: { token: () => 'token', watchEnd: () => () => false },
    openStore: async () => ({
      responses: {
        write: async () => undefined,
        read: async () => undefined,
        writeFile: async () => undefined,
        readFile: async () => cached,
        remove: async () => undefined,
        namesWith: async () => [],
      },
    }),
  }
  return loadReceipt(parts, receipt)
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
