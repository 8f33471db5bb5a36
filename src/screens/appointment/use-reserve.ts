import { useLanguage } from '#i18n/use-language.ts'
import type { Result } from '#api/result.ts'
import type { Language } from '#contract/codes.ts'
import type { ApplicationParams, AppointmentId } from '#contract/ids.ts'
import { type Services, useLoadedServices } from '#app/services.ts'
import { requireSynced } from '#app/require-synced.ts'
import { useNavigateUnlessLeft } from '#app/use-navigate-unless-left.ts'
import { useRecheckState } from '#app/use-recheck-state.ts'
import { useInvalidate } from '#app/use-invalidate.ts'
import { useRequestKey } from '#app/use-request-key.ts'
import { useBusy } from '#ui/use-busy.ts'
import { bookingRefusal, type BookingRefusal } from './booking-refusal.ts'
import { type BookableSelection, bookingRequest } from './booking-request.ts'

export type BookingTarget = {
  application: ApplicationParams
  /** The booked appointment to change; undefined for a first booking. */
  bookedId?: AppointmentId | undefined
}

/** Reserves the selected place and opens the schedule screen. After a refusal, the applicant sees a notice. */
export function useReserve({ application, bookedId }: BookingTarget) {
  const language = useLanguage()
  const services = useLoadedServices()
  const { call, notices, queries, queryClient } = services
  const navigate = useNavigateUnlessLeft()
  const invalidate = useInvalidate()
  const recheckState = useRecheckState()
  const requestKey = useRequestKey()
  const { busy, runOnce } = useBusy()

  async function book(selection: BookableSelection) {
    await runOnce(async () => {
      if (await requireSynced(services, application.appId)) await reserve(selection)
    })
  }

  async function reserve(selection: BookableSelection) {
    const body = bookingRequest(application.appId, selection)
    const input = { query: { lg: language }, body }
    const result = await sendBooking(call, { bookedId, input, key: requestKey.of(body) })
    if (!result.ok)
      return refuse(bookingRefusal(result.problem, { selection, isChange: bookedId !== undefined }))
    // An applicant who comes back finds the held place through the list of applications, so it is read again.
    await invalidate([queries.keyOf('applications'), queries.keyOf('appointment')])
    const appointmentId = result.value.data.id
    // This read shares the round trip in which the guard of the next screen reads the list.
    void queryClient.prefetchQuery(queries.appointment(appointmentId, language))
    return navigate({
      to: '/schedule/$appId/$appNumber/$appointmentId',
      params: { ...application, appointmentId },
      state: { isChangedInPlace: appointmentId === bookedId },
    })
  }

  async function refuse(refusal: BookingRefusal) {
    // The screen has nothing to show.
    if (refusal.kind === 'announced') return undefined
    requestKey.forget()
    if (refusal.kind === 'choose-again') {
      // The guard has opened another page: a text that asks the applicant to choose again would be wrong there.
      if (!refusal.reload && (await recheckState()))
        return notices.raise('warning', { key: 'notice.changeRefused' })
      notices.raise('warning', refusal.message)
      return refusal.reload ? reload() : undefined
    }
    notices.raise('warning', { key: 'notice.changeRefused' })
    return refusal.kind === 'wrong-state' ? recheckState() : navigate({ to: '/procedure' })
  }

  /** Reads the dates and times again. */
  async function reload() {
    await queryClient.invalidateQueries({ queryKey: queries.keyOf('availableDates') })
    await queryClient.invalidateQueries({ queryKey: queries.keyOf('availableSlots') })
  }

  return { busy, book, reload }
}

type BookingCall = {
  bookedId: AppointmentId | undefined
  input: { query: { lg: Language }; body: ReturnType<typeof bookingRequest> }
  /** The idempotency key. */
  key: string
}

async function sendBooking(call: Services['call'], { bookedId, input, key }: BookingCall) {
  if (bookedId === undefined) return call('createAppointment', input, { key })
  return withId(bookedId, await call('updateAppointment', { params: { id: bookedId }, ...input }, { key }))
}

/** The specification describes no answer to a change: when it has no id, the appointment has kept its id (D67). */
function withId(
  bookedId: AppointmentId,
  result: Result<{ data: { id?: AppointmentId | undefined } }>,
): Result<{ data: { id: AppointmentId } }> {
  return result.ok ? { ok: true, value: { data: { id: result.value.data.id ?? bookedId } } } : result
}
