import { useWatch } from 'react-hook-form'
import type { FormValues } from '#contract/application.ts'
import { birthPlace, residence } from '#contract/person.ts'
import { placeIssues } from '#contract/place.ts'
import { useText } from '#i18n/intl.ts'
import { Button } from '#ui/button.tsx'
import { fillPlace, useApplicationForm } from './form-hooks.ts'
import styles from './space-below.module.css'

const parts = ['country', 'region', 'department', 'locality', 'city'] as const

/** Copies the place of birth into the residence. Offered while only the place of birth is complete. */
export function SameAsBirthplace() {
  const t = useText()
  const form = useApplicationForm()
  useWatch<FormValues>({ name: [...Object.values(birthPlace), ...Object.values(residence)] })
  const values = form.getValues()
  if (placeIssues(values, birthPlace).length > 0 || placeIssues(values, residence).length === 0) return null

  function copy() {
    const answers = parts.map(part => [residence[part], values[birthPlace[part]]])
    fillPlace(form, residence, { ...values, ...Object.fromEntries(answers) })
    // This button is gone now.
    document.getElementById(residence.country)?.focus()
  }

  return (
    <div className={styles.spaceBelow}>
      <Button variant="secondary" data-listen onClick={copy}>
        {t('place.sameAsBirth')}
      </Button>
    </div>
  )
}
