import { fieldsOfTab } from '#contract/application.ts'
import { representativeFields } from '#contract/parent.ts'
import { useText } from '#i18n/intl.ts'
import { Section } from '#ui/page.tsx'
import { clearFields, useAnswer, useApplicationForm } from './form-hooks.ts'
import { NameInput } from './name-input.tsx'
import { RadioInput } from './radio-input.tsx'
import { RepresentativeFields } from './representative-fields.tsx'

const answers = ['YES', 'NO'] as const
const representativeNames = fieldsOfTab.ParentData.filter(name => name in representativeFields)

export function ParentTab() {
  const t = useText()
  const form = useApplicationForm()
  const wanted = useAnswer('addReprData')
  return (
    <>
      <Section id="mother" heading={t('section.mother')}>
        <NameInput name="motherSurname" />
        <NameInput name="motherGivenName" optional />
      </Section>
      <Section id="father" heading={t('section.father')}>
        <NameInput name="fatherSurname" optional />
        <NameInput name="fatherGivenName" optional />
      </Section>
      <Section id="representative" heading={t('section.representative')}>
        <RadioInput
          name="addReprData"
          inline
          options={answers.map(answer => ({ value: answer, label: t(`answer.${answer}`) }))}
          onAnswer={answer => {
            if (answer === 'NO') clearFields(form, representativeNames)
          }}
        />
        {wanted === 'YES' && <RepresentativeFields />}
      </Section>
    </>
  )
}
