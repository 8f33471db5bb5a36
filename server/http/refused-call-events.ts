import { finished } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { problems } from '#contract/problems.ts'
import type { Caller, Refusal } from '#server/calls/call.ts'
import { createAllowances } from '#server/calls/rate-limit.ts'
import type { Services } from '#server/calls/services.ts'
import { isUuid } from '#server/features/applications/own-application.ts'
import { readContact } from '#server/features/session/contact.ts'
import {
  type EventSubject,
  recordDailyEvent,
  recordObjectOfAnother,
  subjectOf,
} from '#server/features/session/security-events.ts'
import { secondsIn } from './failures.ts'
import type { RequestParts } from './parts.ts'

type RefusedCall = {
  refusal: Refusal
  caller: Caller | undefined
  parts: RequestParts
  address: string
  reply: FastifyReply
}

/**
 * Records a refused call for operators when its answer is sent, or its connection has closed: neither the answer nor
 * its time tells what was recorded.
 */
export type RecordRefusedCall = (call: RefusedCall) => void

/**
 * The pause between two codes, which every impatient applicant meets. The limit of a contact is recorded only for a longer
 * wait.
 */
const usualWaitSeconds = 60
/**
 * Limits the memory to some megabytes: a full set is cleared. The unique index of the table still refuses a second row.
 */
const maxRecorded = 20_000

/**
 * For one account: lookups after answers with status 404. An applicant rarely gets one, for example after a deletion. For one
 * subject of a limit: tries to store its row. While the database works, the first try succeeds, and later calls need none.
 */
const statementRate = { burst: 10, perMinute: 10 }

/**
 * Records limits that refused an account or a contact, and calls about objects of other applicants: each once a day for
 * its subject (D126). An attacker cannot fill the table: an account costs a code, and so does a contact that has reached its
 * limit.
 */
export function createRefusedCallRecorder(services: Services): RecordRefusedCall {
  const recorded = new Set<string>()
  const takeStatement = createAllowances(services.clock, statementRate)

  async function recordLimit(subject: EventSubject, address: string): Promise<void> {
    const day = services.clock.now().toISOString().slice(0, 10)
    const key = `${day} ${subjectOf(services, subject)}`
    if (recorded.has(key) || takeStatement(key) > 0) return
    if (recorded.size >= maxRecorded) recorded.clear()
    // Before the statement, so that other calls at the same time run none.
    recorded.add(key)
    try {
      await recordDailyEvent(services.db, services, { kind: 'limit-reached', subject, address })
    } catch (error) {
      // The next refused call tries again.
      recorded.delete(key)
      throw error
    }
  }

  async function recordCall({ refusal, caller, parts, address }: RefusedCall): Promise<void> {
    const limited = subjectOfLimit(refusal, caller, parts)
    if (limited) return recordLimit(limited, address)
    if (!caller || problems[refusal.refused].http !== 404) return
    const { applicantId } = caller
    const ids = idsIn(parts)
    // Runs also when today's row exists: without the statement the load would be lower, and tell that an object exists.
    if (ids.length === 0 || takeStatement(applicantId) > 0) return
    await recordObjectOfAnother(services.db, services, { applicantId, ids, address })
  }

  return call => {
    finished(call.reply.raw, () => {
      recordCall(call).catch(error => {
        // The caller is refused in any case.
        services.logger.warn(
          { err: error },
          'The daily security event of a refused call could not be stored. The caller was refused.',
        )
      })
    })
  }
}

function idsIn({ params, query, body }: RequestParts): string[] {
  return [params, query, body].flatMap(part => Object.values(textsOf(part))).filter(isUuid)
}

/** Undefined when no limit of an account or a contact refused the call, or when the wait for a code is the usual one. */
function subjectOfLimit(
  refusal: Refusal,
  caller: Caller | undefined,
  { body }: RequestParts,
): EventSubject | undefined {
  const { refused } = refusal
  if (refused === 'too-many-requests') return caller && { applicantId: caller.applicantId }
  if (refused !== 'too-many-for-contact' || (secondsIn(refusal) ?? 0) <= usualWaitSeconds) return undefined
  return caller ? { applicantId: caller.applicantId } : contactIn(body)
}

function contactIn(body: unknown): EventSubject | undefined {
  const { msisdn = null, email = null } = { ...textsOf(body) }
  const contact = readContact({ msisdn, email })
  return contact && { kind: contact.kind, value: contact.value }
}

/** The fields of one part of a request that are texts. */
function textsOf(part: unknown): Record<string, string> {
  if (typeof part !== 'object' || part === null) return {}
  return Object.fromEntries(
    Object.entries(part).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  )
}
