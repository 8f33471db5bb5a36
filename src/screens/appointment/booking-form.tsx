import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices, useAutoCompleteOfDevice } from '#app/services.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { useBookingLists } from './booking-lists.ts'
import { bookingSelectionOf, type Level, pick, type Picks } from './booking-selection.ts'
import { finalChoiceOf } from './final-choice.ts'
import { FinalChoicePanel } from './final-choice-panel.tsx'
import { OfficeFields } from './office-fields.tsx'
import { PapersToBring } from './papers-to-bring.tsx'
import { TimeFields } from './time-fields.tsx'
import { type BookingTarget, useReserve } from './use-reserve.ts'
import { useFirstPicks } from './use-first-picks.ts'
import { WatchPanel } from './watch-panel.tsx'

/** `hasTime`: the applicant changes an appointment that has a time, and would lose it in the general queue. */
export function BookingForm({
  application,
  bookedId,
  hasTime = false,
}: BookingTarget & { hasTime?: boolean }) {
  const t = useText()
  const navigate = useNavigate()
  const autoComplete = useAutoCompleteOfDevice()
  const { lists, selection, errorOf, change, confirm, busy } = useBookingForm({
    application,
    bookedId,
  })
  const { changeableFrom, dates } = lists
  const finalChoice = finalChoiceOf(selection, { changeableFrom, dates: dates.data })
  const { country: officeCountry, date, officeId } = lists.chosen

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!busy) void confirm()
  }

  function goToDate(day: string | undefined) {
    if (day !== undefined) change('date', day)
    document.getElementById('date')?.focus()
  }

  return (
    <form method="post" noValidate autoComplete={autoComplete} onSubmit={submit}>
      <OfficeFields {...lists} errorOf={errorOf} onPick={change} />
      <TimeFields {...lists} hasTime={hasTime} errorOf={errorOf} onPick={change} />
      <PapersToBring appId={application.appId} officeCountry={officeCountry} date={date} />
      {finalChoice && <FinalChoicePanel choice={finalChoice} onOtherDate={goToDate} />}
      <ButtonRow>
        <Button
          type="submit"
          busy={busy || (selection.kind === 'waiting' && !lists.hasFailed)}
          busyLabel={busy ? t('button.busy') : undefined}
        >
          {t('button.confirm')}
        </Button>
        <Button variant="secondary" onClick={() => void navigate({ to: '/procedure' })}>
          {t('button.cancel')}
        </Button>
      </ButtonRow>
      <WatchPanel appId={application.appId} officeId={officeId} dates={lists.dates.data} />
    </form>
  )
}

/** The picks of the applicant, the lists that follow from them, and Confirm. */
function useBookingForm(target: BookingTarget) {
  const t = useText()
  const { notices } = useServices()
  const [picked, setPicks] = useState<Picks>()
  const firstPicks = useFirstPicks(target)
  const picks = picked ?? { ...firstPicks, time: '' }
  const [tried, setTried] = useState(false)
  const lists = useBookingLists(picks, {
    applicationId: target.application.appId,
    booked: firstPicks,
  })
  const selection = bookingSelectionOf(lists.chosen, { dates: lists.dates.data, slots: lists.slots.data })
  const { busy, book, reload } = useReserve(target)

  async function confirm() {
    setTried(true)
    switch (selection.kind) {
      case 'incomplete':
        return document.getElementById(selection.missing[0] ?? '')?.focus()
      case 'waiting':
        return lists.hasFailed ? reload() : undefined
      case 'full':
        notices.raise('warning', { key: 'notice.chooseTime' })
        return reload()
      case 'queue':
      case 'time':
        return book(selection)
    }
  }

  /** Of the missing levels only the first shows an error: the levels below it have no list yet. */
  function errorOf(level: Level): string | undefined {
    const isMissing = selection.kind === 'incomplete' && selection.missing[0] === level
    const isFull = selection.kind === 'full' && level === 'time'
    return tried && (isMissing || isFull) ? t('issue.required') : undefined
  }

  function change(level: Level, value: string) {
    setPicks(pick(picks, level, value))
    setTried(false)
  }

  return { lists, selection, errorOf, change, confirm, busy }
}
