import { useState, useSyncExternalStore } from 'react'
import type { FieldName, FormValues } from '#contract/application.ts'
import { type MessageKey, useText } from '#i18n/intl.ts'
import { useServices } from '#portal/services.ts'
import type { Choice } from '#sync/merge.ts'
import type { Standing } from '#sync/standings.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { RadioGroup } from '#ui/radio-group.tsx'
import { useFormParams } from './form-route.ts'
import { pickForm, type Side } from './pick-form.ts'
import { useUnitWords } from './unit-words.ts'

type Open = Extract<Standing, { kind: 'choice' }>
type OnChosen = (picked: FormValues) => Promise<void>

/** Drawn anew when a choice comes up or goes, and not with every key that is kept. */
export function OpenChoice({ onChosen }: { onChosen: OnChosen }) {
  const { appId } = useFormParams()
  const { sync } = useServices()
  const open = useSyncExternalStore(sync.subscribe, () => {
    const standing = sync.standing(appId)
    return standing.kind === 'choice' ? standing : undefined
  })
  return open && <ChoicePanel key={open.draft.theirs?.version} open={open} onChosen={onChosen} />
}

type ChoicePanelProps = { open: Open; onChosen: OnChosen }

/** The same answer was changed here and on another phone: both are shown, and nothing is decided unseen (D32). */
function ChoicePanel({ open, onChosen }: ChoicePanelProps) {
  const t = useText()
  const [picks, setPicks] = useState<Partial<Record<FieldName, Side>>>({})
  const [tried, setTried] = useState(false)
  const [busy, setBusy] = useState(false)

  async function choose() {
    setTried(true)
    const picked = pickForm(open, picks)
    if (!picked) return
    setBusy(true)
    await onChosen(picked)
    setBusy(false)
  }

  return (
    <Panel tone="warning" heading={t('choice.heading')} announce>
      <p>{t('choice.lead')}</p>
      {open.choices.map(choice => {
        const [field = 'surname'] = choice.fields
        return (
          <OneChoice
            key={field}
            field={field}
            choice={choice}
            picked={picks[field]}
            error={tried && picks[field] === undefined ? t('issue.required') : undefined}
            onPick={side => setPicks({ ...picks, [field]: side })}
          />
        )
      })}
      <ButtonRow>
        <Button busy={busy} busyLabel={t('button.busy')} onClick={() => void choose()}>
          {t('choice.done')}
        </Button>
      </ButtonRow>
    </Panel>
  )
}

type OneChoiceProps = {
  field: FieldName
  choice: Choice
  picked: Side | undefined
  error: string | undefined
  onPick: (side: Side) => void
}

function OneChoice({ field, choice, picked, error, onPick }: OneChoiceProps) {
  const t = useText()
  const mine = useUnitWords(choice.fields, choice.mine)
  const theirs = useUnitWords(choice.fields, choice.theirs)
  return (
    <RadioGroup
      name={`choice-${field}`}
      label={t(labelOf(field))}
      error={error}
      value={picked ?? ''}
      options={[
        { value: 'mine', label: mine, hint: t('choice.mine') },
        { value: 'theirs', label: theirs, hint: t('choice.theirs') },
      ]}
      onChange={event => onPick(event.target.value === 'mine' ? 'mine' : 'theirs')}
    />
  )
}

/** A date's three fields ask one question; any other unit is called by its first. */
function labelOf(field: FieldName): MessageKey {
  if (field === 'dayOfBirth') return 'field.dateOfBirth'
  if (field === 'reprDayOfBirth') return 'field.reprDateOfBirth'
  return `field.${field === 'dialCode' ? 'phoneNumber' : field}` as MessageKey
}
