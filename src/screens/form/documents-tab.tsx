import { nicChoices } from '#contract/codes.ts'
import { hasNic, isPassportGone, previousPassport } from '#contract/documents.ts'
import { useText } from '#i18n/intl.ts'
import { Drawing } from '#ui/drawing.tsx'
import { Section } from '#ui/page.tsx'
import { DateInput } from './date-input.tsx'
import { clearFields, useAnswer, useApplicationForm } from './form-hooks.ts'
import { RadioInput } from './radio-input.tsx'
import { TextInput } from './text-input.tsx'

export function DocumentsTab() {
  return (
    <>
      <Drawing name="documents" />
      <IdentityCard />
      <PreviousPassport />
    </>
  )
}

/** Until the applicant says that there is a card, its number, dates and place are empty and not shown (DOC02, S71). */
function IdentityCard() {
  const t = useText()
  const form = useApplicationForm()
  const chosen = useAnswer('selectNic')
  return (
    <>
      <RadioInput
        name="selectNic"
        hint={t('hint.nicFormat')}
        options={nicChoices.map(choice => ({ value: choice, label: t(`nic.${choice}`) }))}
        onAnswer={choice => {
          if (!hasNic(choice))
            clearFields(form, ['nicNumber', 'nicDateOfIssuance', 'nicDateOfExpiry', 'nicPlaceOfIssuance'])
        }}
      />
      {hasNic(chosen) && (
        <>
          <TextInput name="nicNumber" width="medium" spellCheck={false} />
          <DateInput name="nicDateOfIssuance" />
          <DateInput name="nicDateOfExpiry" />
          <TextInput name="nicPlaceOfIssuance" optional />
        </>
      )}
    </>
  )
}

/** The reason of the application decides whether these fields are shown and required (DOC07–DOC09, S58). */
function PreviousPassport() {
  const t = useText()
  const reason = useAnswer('reason')
  const requirement = previousPassport(reason)
  const optional = requirement === 'optional'
  if (requirement === 'none') return null
  return (
    <Section headingId="passport-heading" heading={t('section.passport')}>
      <TextInput
        name="eppNumber"
        optional={optional}
        hint={t(isPassportGone(reason) ? 'hint.eppNumberGone' : 'hint.eppNumber')}
        width="medium"
        autoCapitalize="characters"
        spellCheck={false}
      />
      <DateInput name="eppDateOfIssuance" optional={optional} />
    </Section>
  )
}
