import { type FormEvent, useRef, useState } from 'react'
import {
  type Birth,
  type DormantAnswer,
  type DormantTries,
  dormantTriesPerPeriod,
  dormantPeriodDays,
} from '#contract/dormant.ts'
import { type MessageKey, useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { ContinueRow } from '#sign-in/continue-row.tsx'
import { requireOnline } from '#sign-in/use-code-request.ts'
import { DatePartsField } from '#ui/date-field.tsx'
import { TextField } from '#ui/text-field.tsx'
import { useBusy } from '#ui/use-busy.ts'
import { answerDormant, type DormantStep } from './dormant-answer.ts'

const months = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const
const partNames = { day: 'birthDay', month: 'birthMonth', year: 'birthYear' }

/** Asks the owner of a dormant account for the number of an application, and for the date of birth in it (SIG15). */
export function ByApplication({ ticket, back, onExpired }: DormantStep) {
  const t = useText()
  const services = useServices()
  const language = useLanguage()
  const input = useRef<HTMLInputElement>(null)
  const [applicationNumber, setNumber] = useState('')
  const [birth, setBirth] = useState<Birth>({ day: '', month: '', year: '' })
  const [fault, setFault] = useState<{ number?: string; birth?: string }>({})
  const { busy, runOnce } = useBusy()

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (busy) return
    const missing = {
      ...(applicationNumber.trim() === '' && { number: t('issue.required') }),
      ...(birth.year.trim() === '' && { birth: t('issue.required') }),
    }
    setFault(missing)
    if (missing.number) return input.current?.focus()
    if (missing.birth) return document.getElementById('dormantBirth-day')?.focus()
    if (!requireOnline(services)) return
    await runOnce(() => send({ kind: 'application', applicationNumber, birth }))
  }

  async function send(answer: DormantAnswer) {
    const outcome = await answerDormant(services, { ticket, answer, language })
    if (outcome.kind === 'expired') onExpired()
    if (outcome.kind !== 'wrong-answer') return
    setFault({ number: describeTries(t, outcome.tries) })
    input.current?.focus()
  }

  return (
    <form method="post" noValidate onSubmit={event => void submit(event)}>
      <TextField
        ref={input}
        name="applicationNumber"
        label={t('dormant.number')}
        hint={t('dormant.numberHint')}
        error={fault.number}
        maxLength={40}
        autoComplete="off"
        autoCapitalize="characters"
        autoCorrect="off"
        spellCheck={false}
        value={applicationNumber}
        onChange={event => (setNumber(event.target.value), setFault({}))}
      />
      <BirthField error={fault.birth} value={birth} onChange={next => (setBirth(next), setFault({}))} />
      <ContinueRow busy={busy} back={back} />
    </form>
  )
}

function describeTries(t: ReturnType<typeof useText>, { triesLeft, spent }: DormantTries): string {
  if (triesLeft > 0) return t('dormant.wrong', { count: triesLeft })
  if (spent !== 'period') return t('dormant.noTryToday')
  return t('dormant.noTryInPeriod', { tries: dormantTriesPerPeriod, days: dormantPeriodDays })
}

type BirthFieldProps = { error: string | undefined; value: Birth; onChange: (next: Birth) => void }

function BirthField(props: BirthFieldProps) {
  const t = useText()
  return (
    <DatePartsField
      id="dormantBirth"
      names={partNames}
      label={t('dormant.birth')}
      hint={t('dormant.birthHint')}
      partLabels={{ day: t('date.day'), month: t('date.month'), year: t('date.year') }}
      monthNames={months.map(month => t(`month.${month}` satisfies MessageKey))}
      monthPlaceholder={t('select.choose')}
      {...props}
    />
  )
}
