import { useQuery } from '@tanstack/react-query'
import { type MouseEvent, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { type FieldName, fieldNames, type FormValues } from '#contract/application.ts'
import { differingGroups } from '#contract/field-groups.ts'
import { formatMoment } from '#i18n/format-date.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useLoadedServices } from '#app/services.ts'
import { answerLabel } from '#summary/answer-text.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Loader } from '#ui/loader.tsx'
import { takeFocus } from '#ui/take-focus.ts'
import { Panel } from '#ui/panel.tsx'
import { useBusy } from '#ui/use-busy.ts'
import { useGroupText } from './group-text.ts'
import styles from './earlier-answers.module.css'
import { inDisplayOrder } from './field-order.ts'
import { useApplicationForm } from './form-hooks.ts'
import { useFormParams } from './form-route.ts'
import { useVerifiedContact, verifiedValues } from './verified-contact.ts'

export type EarlierAnswersProps = {
  /** Resolves to false when nothing was restored. */
  onRestore: (values: FormValues) => Promise<boolean>
  /** Called after each attempt to restore, except after one that throws. */
  onClose: () => void
}

/** Earlier answers, and the groups of fields that differ from the current answers. `at`: ISO instant. */
type Earlier = {
  number: number
  at: string
  values: FormValues
  differing: readonly (readonly FieldName[])[]
}

/**
 * Lists the earlier answers by time, newest first; opens one of them beside the current answers (D63). While the dialog is open,
 * the sync may put an answer of another device into the form: the dialog then shows it as the current answer, because a restore
 * replaces it.
 */
export function EarlierAnswers({ onRestore, onClose }: EarlierAnswersProps) {
  const t = useText()
  const form = useApplicationForm()
  const { notices } = useLoadedServices()
  useWatch<FormValues>()
  const current = form.getValues()
  const [openedNumber, setOpenedNumber] = useState<number>()
  const { busy, runOnce } = useBusy()
  const found = useEarlier(current)
  const opened = found.data?.find(({ number }) => number === openedNumber)

  async function restore({ values }: Earlier) {
    if (await onRestore(values)) notices.raise('success', { key: 'earlier.restored' })
    onClose()
  }

  function goBack({ currentTarget }: MouseEvent<HTMLElement>) {
    // The pressed button disappears with the answers, so the focus moves to the heading of the dialog.
    currentTarget.closest('dialog')?.querySelector('h2')?.focus()
    setOpenedNumber(undefined)
  }

  if (found.isPending) return <Loader text={t('app.loading')} />
  if (!found.data) return <Panel tone="warning">{t('earlier.failed')}</Panel>
  if (found.data.length === 0) return <p>{t('earlier.none')}</p>
  if (!opened) return <EarlierList all={found.data} onOpen={setOpenedNumber} />
  return (
    <>
      <EarlierHeading at={opened.at} />
      <dl>
        {opened.differing.map(fields => (
          <DifferingAnswer key={fields[0]} fields={fields} current={current} earlier={opened.values} />
        ))}
      </dl>
      <ButtonRow>
        {opened.differing.length > 0 && (
          <Button
            busy={busy}
            busyLabel={t('button.busy')}
            onClick={() => void runOnce(() => restore(opened))}
          >
            {t('earlier.restore')}
          </Button>
        )}
        <Button variant="secondary" onClick={goBack}>
          {t('button.back')}
        </Button>
      </ButtonRow>
      <p>{t('earlier.restoreHint')}</p>
    </>
  )
}

/** Reads the revisions of the open form. The verified contact cannot be restored, so it never differs (PER14). */
function useEarlier(current: FormValues) {
  const { appId } = useFormParams()
  const services = useLoadedServices()
  const verifiedContact = useVerifiedContact()
  const { data, isPending } = useQuery({
    queryKey: ['earlier-answers', appId],
    queryFn: async () => (await services.openStore()).revisions(await services.sync.resolveId(appId)),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  const earlier = data?.map(({ number, at, values }): Earlier => {
    const restorable = { ...values, ...verifiedValues(verifiedContact) }
    const differing = differingGroups(current, restorable).sort(byPlaceOnScreen)
    return { number, at: new Date(at).toISOString(), values: restorable, differing }
  })
  return { isPending, data: earlier?.sort((one, other) => other.number - one.number) }
}

const displayOrder = inDisplayOrder(fieldNames)

function byPlaceOnScreen([one]: readonly FieldName[], [other]: readonly FieldName[]): number {
  return displayOrder.findIndex(name => name === one) - displayOrder.findIndex(name => name === other)
}

function EarlierList({ all, onOpen }: { all: readonly Earlier[]; onOpen: (number: number) => void }) {
  const t = useText()
  const language = useLanguage()
  return (
    <>
      <p>{t('earlier.lead')}</p>
      <ul className={styles.list}>
        {all.map(each => (
          <li key={each.number}>
            <button type="button" className={styles.time} onClick={() => onOpen(each.number)}>
              <span className={styles.moment}>{formatMoment(each.at, language)}</span>
              <span className={styles.count}>
                {t('earlier.differences', { count: each.differing.length })}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Takes the focus, because the button that opened these answers is gone. */
function EarlierHeading({ at }: { at: string }) {
  const language = useLanguage()
  return (
    <h3 ref={takeFocus} tabIndex={-1}>
      {formatMoment(at, language)}
    </h3>
  )
}

type DifferingAnswerProps = { fields: readonly FieldName[]; current: FormValues; earlier: FormValues }

function DifferingAnswer({ fields, current, earlier }: DifferingAnswerProps) {
  const t = useText()
  const currentText = useGroupText(fields, current)
  const earlierText = useGroupText(fields, earlier)
  return (
    <div className={styles.answer}>
      <dt>{t(answerLabel(fields))}</dt>
      <dd>
        <span className={styles.side}>{t('earlier.present')}</span>
        <bdi>{currentText}</bdi>
      </dd>
      <dd>
        <span className={styles.side}>{t('earlier.earlier')}</span>
        <bdi>{earlierText}</bdi>
      </dd>
    </div>
  )
}
