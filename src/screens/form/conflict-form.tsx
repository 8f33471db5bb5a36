import { useState } from 'react'
import type { FieldName, FormValues } from '#contract/application.ts'
import { formatMoment } from '#i18n/format-date.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import type { ConflictChoice } from '#sync/merge-draft.ts'
import type { Conflict } from '#sync/merge.ts'
import type { SyncStatus } from '#sync/sync-status.ts'
import { answerLabel } from '#summary/answer-text.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { passFocusToHeadingOnRemoval } from '#ui/move-focus.ts'
import { Panel } from '#ui/panel.tsx'
import { RadioGroup } from '#ui/radio-group.tsx'
import { useBusy } from '#ui/use-busy.ts'
import { useGroupText } from './group-text.ts'
import { resolveConflict, type Side } from './resolve-conflict.ts'

type Unresolved = Extract<SyncStatus, { kind: 'conflict' }>
export type OnResolved = (choice: ConflictChoice) => Promise<void>

type ConflictFormProps = { unresolved: Unresolved; onResolved: OnResolved }

/**
 * Shows both answers when this device and another device changed the same answer (D32), or when a restored server has
 * other answers (D62); the applicant picks one of the two.
 */
export function ConflictForm({ unresolved, onResolved }: ConflictFormProps) {
  const t = useText()
  const [picks, setPicks] = useState<Partial<Record<FieldName, Side>>>({})
  const [tried, setTried] = useState(false)
  const { busy, runOnce } = useBusy()
  const { isRestored } = unresolved

  async function resolve() {
    setTried(true)
    const picked = resolveConflict(unresolved, picks)
    if (picked) await choose(picked)
  }

  const choose = (picked: FormValues) => runOnce(() => onResolved({ picked, shown: unresolved.draft }))

  return (
    <Panel tone="warning" heading={t(isRestored ? 'choice.restoredHeading' : 'choice.heading')} announce>
      {isRestored ? (
        <RestoredLead unresolved={unresolved} busy={busy} onKeepMine={() => void choose(unresolved.merged)} />
      ) : (
        <p>{t('choice.lead')}</p>
      )}
      {unresolved.conflicts.map(conflict => {
        const [field = 'surname'] = conflict.fields
        return (
          <ConflictField
            key={field}
            field={field}
            conflict={conflict}
            theirsHint={t(isRestored ? 'choice.restored' : 'choice.theirs')}
            picked={picks[field]}
            error={tried && picks[field] === undefined ? t('issue.required') : undefined}
            onPick={side => setPicks({ ...picks, [field]: side })}
          />
        )
      })}
      <ButtonRow>
        <Button
          ref={passFocusToHeadingOnRemoval}
          busy={busy}
          busyLabel={t('button.busy')}
          onClick={() => void resolve()}
        >
          {t('choice.done')}
        </Button>
      </ButtonRow>
    </Panel>
  )
}

type RestoredLeadProps = { unresolved: Unresolved; busy: boolean; onKeepMine: () => void }

/** Offers all answers of this device at once: a restored server often has only older ones. */
function RestoredLead({ unresolved, busy, onKeepMine }: RestoredLeadProps) {
  const t = useText()
  const language = useLanguage()
  const { savedAt, base } = unresolved.draft
  const time = formatMoment(new Date(Math.max(savedAt, base?.at ?? 0)).toISOString(), language)
  return (
    <>
      <p>{t('choice.restoredLead', { time })}</p>
      <ButtonRow>
        <Button
          ref={passFocusToHeadingOnRemoval}
          busy={busy}
          busyLabel={t('button.busy')}
          onClick={onKeepMine}
        >
          {t('choice.keepMine')}
        </Button>
      </ButtonRow>
      <p>{t('choice.restoredOrEach')}</p>
    </>
  )
}

type ConflictFieldProps = {
  field: FieldName
  conflict: Conflict
  theirsHint: string
  picked: Side | undefined
  error: string | undefined
  onPick: (side: Side) => void
}

function ConflictField({ field, conflict, theirsHint, picked, error, onPick }: ConflictFieldProps) {
  const t = useText()
  const mine = useGroupText(conflict.fields, conflict.mine)
  const theirs = useGroupText(conflict.fields, conflict.theirs)
  return (
    <RadioGroup
      name={`choice-${field}`}
      label={t(answerLabel(conflict.fields))}
      error={error}
      value={picked ?? ''}
      options={[
        { value: 'mine', label: mine, hint: t('choice.mine') },
        { value: 'theirs', label: theirs, hint: theirsHint },
      ]}
      onChange={event => onPick(event.target.value === 'mine' ? 'mine' : 'theirs')}
    />
  )
}
