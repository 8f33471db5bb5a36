import type { AppointmentUpdate } from '#contract/appointment.ts'
import { officeHandlers } from '#server/features/offices/office-handlers.ts'
import {
  type Caller,
  type Handlers,
  type LikelyRefusals,
  type OutdatedAnswers,
  type Refusal,
  type Transport,
} from '#server/calls/call.ts'
import { createAllowances, refuseForSeconds } from '#server/calls/rate-limit.ts'
import { type Services, withTransaction } from '#server/calls/services.ts'
import { listAvailableDates } from './available-dates.ts'
import { cancel } from './cancel.ts'
import { confirm, isConfirmationOutdated } from './confirm.ts'
import { notifyApplicantOfConfirmation } from './notify-of-confirmation.ts'
import { readAppointment, type ReceiptCodeOf } from './read-appointment.ts'
import { likelyFull, reserve, reserveChange, type Reserved } from './reserve.ts'

type AppointmentHandlers = ReturnType<typeof officeHandlers> &
  Pick<
    Handlers,
    | 'listAvailableDates'
    | 'createAppointment'
    | 'readAppointment'
    | 'updateAppointment'
    | 'confirmAppointment'
  >

/**
 * Reservations that one applicant may make in a burst, and then each minute, in this process. When an applicant
 * replaces a reservation, the place of the replaced one stays closed to other applicants for a while (D41): without a
 * limit one paid application could close all places of an office. Refused attempts do not count.
 */
const reservationRate = { burst: 20, perMinute: 2 }

/** The handlers of API19–API27, and the other handlers of `officeHandlers`. */
export function appointmentHandlers(services: Services, receiptCodeOf: ReceiptCodeOf): AppointmentHandlers {
  const limit = limitReservations(services)
  return {
    ...officeHandlers(services),
    listAvailableDates: ({ caller, params, query }) =>
      listAvailableDates(services, {
        caller,
        applicationId: query.applicationId,
        officeId: params.officeId,
      }),
    async createAppointment({ trx, caller, language, body, transport }) {
      const { applicationId, ...selection } = body
      const inTransaction = withTransaction(services, trx)
      const request = { caller, language, applicationId, selection }
      return answerId(await limit(caller, () => reserve(inTransaction, request)), transport)
    },
    readAppointment: ({ caller, language, params }) =>
      readAppointment(services, { caller, language, appointmentId: params.id }, receiptCodeOf),
    async updateAppointment({ trx, caller, language, params, body, transport }) {
      const inTransaction = withTransaction(services, trx)
      const request = { caller, language, appointmentId: params.id }
      if (!isCancel(body)) {
        const change = { ...request, selection: body }
        return answerId(await limit(caller, () => reserveChange(inTransaction, change)), transport)
      }
      const onlyHold = body.onlyHold === true
      const outcome = await cancel(inTransaction, { ...request, onlyHold })
      return outcome === 'canceled' ? { data: { id: params.id } } : outcome
    },
    async confirmAppointment({ trx, caller, params, transport }) {
      let isNew = false
      const outcome = await confirm(withTransaction(services, trx), caller, params.id, async (...booked) => {
        isNew = true
        await notifyApplicantOfConfirmation(...booked)
      })
      if (outcome === true && !isNew) transport.skipMetrics()
      return typeof outcome === 'boolean' ? { data: outcome } : outcome
    },
  }
}

/**
 * Counts a call before it reserves, so that two at once count as two. Takes the count back when the call is refused or
 * fails.
 */
function limitReservations({ clock }: Pick<Services, 'clock'>) {
  const take = createAllowances(clock, reservationRate)
  return async (
    { applicantId }: Pick<Caller, 'applicantId'>,
    run: () => Promise<Reserved | Refusal>,
  ): Promise<Reserved | Refusal> => {
    const seconds = take(applicantId)
    if (seconds > 0) return refuseForSeconds(seconds)
    let hasSucceeded = false
    try {
      const outcome = await run()
      hasSucceeded = !('refused' in outcome)
      return outcome
    } finally {
      if (!hasSucceeded) take(applicantId, -1)
    }
  }
}

/**
 * On a release day thousands want the same few places (D104). A slot that this process remembers as full gives a likely
 * refusal; the tables must still prove the refusal (D118).
 */
export function likelyAppointmentRefusals(services: Services): LikelyRefusals {
  return {
    createAppointment({ caller, language, body }) {
      const { applicationId, ...selection } = body
      return likelyFull(services, { caller, language, applicationId, selection })
    },
  }
}

/** The appointment may have ended before the retry: changed or cancelled on another device, or ended by the office. */
export const outdatedAppointmentAnswers: OutdatedAnswers = {
  confirmAppointment: ({ db, caller, params }, storedAnswer) =>
    isConfirmationOutdated(db, { caller, appointmentId: params.id }, storedAnswer),
}

function isCancel(body: AppointmentUpdate): body is Extract<AppointmentUpdate, { cancel: true }> {
  return 'cancel' in body // the contract accepts no other value than true
}

function answerId(
  outcome: Reserved | Refusal,
  transport: Pick<Transport, 'skipMetrics'>,
): { data: { id: string } } | Refusal {
  if ('refused' in outcome) return outcome
  if (!outcome.isNew) transport.skipMetrics()
  return { data: { id: outcome.id } }
}
