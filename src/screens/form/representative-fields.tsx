import { genders } from '#contract/codes.ts'
import { isBlank } from '#contract/fields.ts'
import { representativeBirthDate, representativeBirthPlace } from '#contract/parent.ts'
import { useText } from '#i18n/intl.ts'
import { BirthDateInput } from './birth-date-input.tsx'
import { CountryInput } from './country-input.tsx'
import { DateInput } from './date-input.tsx'
import { clearFields, useAnswer, useApplicationForm } from './form-hooks.ts'
import { NameInput } from './name-input.tsx'
import { OccupationFields } from './occupation-fields.tsx'
import { PlaceFields } from './place-fields.tsx'
import { RadioInput } from './radio-input.tsx'
import { TextInput } from './text-input.tsx'

/** The Parent tab shows these fields only while the applicant wants a representative (REP01, REP02). */
export function RepresentativeFields() {
  const t = useText()
  return (
    <>
      <NameInput name="reprSurname" />
      <NameInput name="reprGivenName" optional />
      <RadioInput
        name="reprGender"
        inline
        options={genders.map(gender => ({ value: gender, label: t(`gender.${gender}`) }))}
      />
      <BirthDateInput
        fields={representativeBirthDate}
        group="reprDateOfBirth"
        unknown="reprDateOfBirthUnknown"
      />
      <PlaceFields fields={representativeBirthPlace} />
      <CountryInput name="reprCountryOfResidence" />
      <OccupationFields name="reprOccupation" other="reprOtherOccupation" />
      <IdentityCard />
    </>
  )
}

/** Without a card number, the dates and the place of the card are empty and not shown (REP13, S71). */
function IdentityCard() {
  const t = useText()
  const form = useApplicationForm()
  const missing = isBlank(useAnswer('reprNicNumber'))
  return (
    <>
      <TextInput
        name="reprNicNumber"
        optional
        width="medium"
        spellCheck={false}
        onAnswer={number => {
          if (isBlank(number))
            clearFields(form, ['reprNicDateOfIssuance', 'reprNicDateOfExpiry', 'reprNicPlaceOfIssuance'])
        }}
      />
      {!missing && (
        <>
          <DateInput name="reprNicDateOfIssuance" />
          <DateInput name="reprNicDateOfExpiry" hint={t('hint.expiryAfterIssuance')} />
          <TextInput name="reprNicPlaceOfIssuance" optional />
        </>
      )}
    </>
  )
}
