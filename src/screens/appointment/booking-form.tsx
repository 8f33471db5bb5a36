import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useRef, useState } from 'react'
import type { ApplicationId, ApplicationNumber, AppointmentId } from '#contract/ids.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { requireSynced } from '#app/require-synced.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { bookingRefusal, type BookingRefusal } from './booking-refusal.ts'
import { type BookableSelection, bookingRequest } from './booking-request.ts'
import {
  firstOrPicked,
  type Level,
  onlyOrPicked,
  pick,
  type Picks,
  bookingSelectionOf,
} from './booking-selection.ts'
import { useKioskOffice } from './kiosk-office.ts'
import { OfficeFields } from './office-fields.tsx'
import { PapersToBring } from './papers-to-bring.tsx'
import { TimeFields } from './time-fields.tsx'
import { WatchPanel } from './watch-panel.tsx'

type BookingFormProps = {
  application: { appId: ApplicationId; appNumber: ApplicationNumber }
  /** The appointment to be changed; none for a first booking. */
  changed?: AppointmentId | undefined
}

export function BookingForm({ application, changed }: BookingFormProps) {
  const t = useText()
  const language = useLanguage()
  const services = useServices()
  const { call, device, notices, queryClient } = services
  const navigate = useNavigate()
  const requestKey = useRef({ wish: '', key: '' })
  const [picked, setPicks] = useState<Picks>()
  const preset = useKioskOffice()
  const picks = picked ?? preset
  const [tried, setTried] = useState(false)
  const [busy, setBusy] = useState(false)
  const lists = useBookingLists(picks, application.appId)
  const selection = bookingSelectionOf(lists.chosen, { dates: lists.dates.data, slots: lists.slots.data })

  async function confirm() {
    setTried(true)
    switch (selection.kind) {
      case 'incomplete':
        return document.getElementById(selection.missing[0] ?? '')?.focus()
      case 'waiting':
        return undefined
      case 'full':
        notices.raise('warning', { key: 'notice.chooseTime' })
        return reload()
      case 'queue':
      case 'time':
        setBusy(true)
        try {
          if (await requireSynced(services, application.appId)) await book(selection)
        } finally {
          setBusy(false)
        }
    }
  }

  async function book(asked: BookableSelection) {
    const body = bookingRequest(application.appId, asked)
    const options = { key: keyOf(body) }
    const result =
      changed === undefined
        ? await call('createAppointment', { query: { lg: language }, body }, options)
        : await call('updateAppointment', { params: { id: changed }, query: { lg: language }, body }, options)
    if (!result.ok)
      return choose(bookingRefusal(result.problem, { selection: asked, isChange: changed !== undefined }))
    // It names what is held: whoever comes back finds it.
    await queryClient.invalidateQueries({ queryKey: ['applications'], refetchType: 'none' })
    return navigate({
      to: '/schedule/$appId/$appNumber/$appointmentId',
      params: { ...application, appointmentId: result.value.data.id },
    })
  }

  /** The same wish sent again without an answer is the same intent (D13). */
  function keyOf(body: unknown): string {
    const asked = JSON.stringify(body)
    if (requestKey.current.wish !== asked) requestKey.current = { wish: asked, key: device.randomId() }
    return requestKey.current.key
  }

  async function choose(refusal: BookingRefusal) {
    if (refusal.kind === 'announced') return undefined
    requestKey.current = { wish: '', key: '' }
    if (refusal.kind === 'choose-again') {
      notices.raise('warning', refusal.words)
      return refusal.reload ? reload() : undefined
    }
    notices.raise('warning', { key: 'notice.changeRefused' })
    return navigate({ to: '/procedure' })
  }

  async function reload() {
    await queryClient.invalidateQueries({ queryKey: ['available-dates'] })
    await queryClient.invalidateQueries({ queryKey: ['available-slots'] })
  }

  /** Only where the next answer can be given: what is below it still waits. */
  function errorOf(level: Level): string | undefined {
    const isMissing = selection.kind === 'incomplete' && selection.missing[0] === level
    const isFull = selection.kind === 'full' && level === 'time'
    return tried && (isMissing || isFull) ? t('issue.required') : undefined
  }

  function change(level: Level, value: string) {
    setPicks(pick(picks, level, value))
    setTried(false)
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!busy) void confirm()
  }

  return (
    <form method="post" noValidate onSubmit={submit}>
      <OfficeFields {...lists} errorOf={errorOf} onPick={change} />
      <TimeFields {...lists} errorOf={errorOf} onPick={change} />
      <PapersToBring
        appId={application.appId}
        officeCountry={lists.chosen.country}
        date={lists.chosen.date}
      />
      <ButtonRow>
        <Button
          type="submit"
          busy={busy || selection.kind === 'waiting'}
          busyLabel={busy ? t('button.busy') : undefined}
        >
          {t('button.confirm')}
        </Button>
        <Button variant="secondary" onClick={() => void navigate({ to: '/procedure' })}>
          {t('button.cancel')}
        </Button>
      </ButtonRow>
      <WatchPanel appId={application.appId} officeId={lists.chosen.officeId} dates={lists.dates.data} />
    </form>
  )
}

/** The lists of the cascade, each asked for once the choice above it is in force (APT07–APT13). */
function useBookingLists(picks: Picks, applicationId: ApplicationId) {
  const language = useLanguage()
  const { queries } = useServices()
  const countries = useQuery(queries.officeCountries(language))
  const cities = useQuery(queries.cities(language, picks.country))
  const city = onlyOrPicked(picks.city, cities.data)
  const offices = useQuery(queries.offices(language, city))
  const officeId = onlyOrPicked(picks.officeId, offices.data)
  const dates = useQuery(queries.availableDates(officeId, applicationId))
  const date = firstOrPicked(picks.date, dates.data)
  const slots = useQuery(queries.availableSlots(officeId, date))
  const time = firstOrPicked(picks.time, slots.data)
  return {
    countries,
    cities,
    offices,
    dates,
    slots,
    chosen: { country: picks.country, city, officeId, date, time },
  }
}
