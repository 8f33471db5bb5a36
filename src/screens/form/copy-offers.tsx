import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { FormValues } from '#contract/application.ts'
import { fieldGroups, haveSameAnswers } from '#contract/field-groups.ts'
import { useText } from '#i18n/intl.ts'
import { Button } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { type FormMethods, useApplicationForm } from './form-hooks.ts'
import styles from './space-below.module.css'

/**
 * Answers that one press copies into the form; they replace what their fields have. `label`: the text of the button, which
 * is read aloud except for what is in a `bdi`; `done`: the text after the press.
 */
export type CopyOffer = { key: string; label: ReactNode; done: ReactNode; answers: Partial<FormValues> }

type Copied = Pick<CopyOffer, 'answers' | 'done'> & { before: FormValues }

/** One button for each offer. After a press, a panel in their place says what was copied, and Undo takes the copy back. */
export function CopyOffers({ offers }: { offers: readonly CopyOffer[] }) {
  const t = useText()
  const form = useApplicationForm()
  const [copied, setCopied] = useState<Copied>()
  const button = useRef<HTMLButtonElement>(null)
  const movesFocus = useRef(false)
  useEffect(() => {
    // The offers and Undo replace each other, so the focus moves to the new button.
    if (movesFocus.current) button.current?.focus()
    movesFocus.current = false
  })

  function copy({ answers, done }: CopyOffer) {
    movesFocus.current = true
    setCopied({ answers, done, before: { ...form.getValues() } })
    write(form, answers)
  }

  function undo({ answers, before }: Copied) {
    movesFocus.current = true
    setCopied(undefined)
    // A group in which a field has changed since keeps all its answers, because half of one place with half of
    // another is not a valid place.
    const now = form.getValues()
    const afterCopy = { ...before, ...answers }
    const unedited = fieldGroups.filter(fields => haveSameAnswers(now, afterCopy, fields)).flat()
    const undone = unedited.filter(field => field in answers)
    write(form, Object.fromEntries(undone.map(field => [field, before[field]])))
  }

  if (copied)
    return (
      <Panel tone="success" announce>
        <p data-private>{copied.done}</p>
        <Button ref={button} variant="quiet" onClick={() => undo(copied)}>
          {t('takeOver.undo')}
        </Button>
      </Panel>
    )
  return offers.map((offer, index) => (
    <div key={offer.key} className={styles.spaceBelow}>
      <Button
        ref={index === 0 ? button : undefined}
        variant="secondary"
        data-listen
        onClick={() => copy(offer)}
      >
        {offer.label}
      </Button>
    </div>
  ))
}

/** Writes the answers and marks their fields as touched, so that the form shows their issues. */
function write(form: FormMethods, answers: Partial<FormValues>): void {
  for (const [field, answer] of entriesOf(answers)) form.setValue(field, answer, { shouldTouch: true })
}

function entriesOf(answers: Partial<FormValues>) {
  return Object.entries(answers) as [keyof FormValues, string][] // the keys are those of the form
}
