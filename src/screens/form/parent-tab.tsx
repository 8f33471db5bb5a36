import { useEffect } from 'react'
import { useWatch } from 'react-hook-form'
import { fieldsOfTab, type FormValues } from '#contract/application.ts'
import { isUnderAge } from '#contract/birth.ts'
import { representativeFields } from '#contract/parent.ts'
import { birthDate } from '#contract/person.ts'
import { useText } from '#i18n/intl.ts'
import { useLoadedServices } from '#app/services.ts'
import { today } from '#summary/today.ts'
import { Section } from '#ui/page.tsx'
import { clearFields, useAnswer, useApplicationForm } from './form-hooks.ts'
import { NameInput } from './name-input.tsx'
import { RadioInput } from './radio-input.tsx'
import { RepresentativeFields } from './representative-fields.tsx'
import { SameAsParent } from './same-as-parent.tsx'
import { useTabLock } from './tab-lock-context.ts'
import { RepresentativeFromEarlier, TakeOverFromEarlier } from './take-over.tsx'

const answers = ['YES', 'NO'] as const
const representativeNames = fieldsOfTab.ParentData.filter(name => name in representativeFields)

export function ParentTab() {
  const t = useText()
  const form = useApplicationForm()
  const wanted = useAnswer('addReprData')
  const isMinor = useIsUnderAge()
  const tabLock = useTabLock()

  useEffect(() => {
    // While another browser tab has the form, the applicant may answer there. A Yes of this browser tab would replace
    // that answer (D32). After this browser tab has taken the form back, only its next save gets that answer. So this
    // effect does not run then: the applicant answers, or opens the Parent tab again.
    if (tabLock.state() !== 'this-tab') return
    // Sets only an empty answer: the applicant may say No (REP15).
    if (isMinor && form.getValues('addReprData') === '') form.setValue('addReprData', 'YES')
  }, [isMinor, form, tabLock])

  return (
    <>
      <TakeOverFromEarlier />
      <Section headingId="mother-heading" heading={t('section.mother')}>
        <NameInput name="motherSurname" />
        <NameInput name="motherGivenName" optional />
      </Section>
      <Section headingId="father-heading" heading={t('section.father')}>
        <NameInput name="fatherSurname" optional />
        <NameInput name="fatherGivenName" optional />
      </Section>
      <Section headingId="representative-heading" heading={t('section.representative')}>
        <RadioInput
          name="addReprData"
          inline
          hint={isMinor ? t('representative.minor') : undefined}
          options={answers.map(answer => ({ value: answer, label: t(`answer.${answer}`) }))}
          onAnswer={answer => {
            if (answer === 'NO') clearFields(form, representativeNames)
          }}
        />
        {wanted === 'YES' && (
          <>
            {isMinor && <RepresentativeFromEarlier />}
            <SameAsParent />
            <RepresentativeFields />
          </>
        )}
      </Section>
    </>
  )
}

/** Whether the birth date of the Person tab is certainly less than 18 years ago; false while it has an issue. */
function useIsUnderAge(): boolean {
  const services = useLoadedServices()
  const form = useApplicationForm()
  useWatch<FormValues>({ name: [...Object.values(birthDate), 'dateOfBirthUnknown'] })
  const values = form.getValues()
  return isUnderAge(values, birthDate, { unknown: values.dateOfBirthUnknown, today: today(services) })
}
