import { birthDate, birthPlace, residence } from '#contract/person.ts'
import { genders } from '#contract/codes.ts'
import { useText } from '#i18n/intl.ts'
import { Section } from '#ui/page.tsx'
import { BirthDateInput } from './birth-date-input.tsx'
import { NameInput } from './name-input.tsx'
import { OccupationFields } from './occupation-fields.tsx'
import { PhoneInput } from './phone-input.tsx'
import { PlaceFields } from './place-fields.tsx'
import { useVerifiedContact } from './verified-contact.ts'
import { RadioInput } from './radio-input.tsx'
import { TextInput } from './text-input.tsx'

export function PersonTab() {
  const t = useText()
  return (
    <>
      <NameInput name="surname" hint={t('hint.names')} autoComplete="family-name" />
      <NameInput name="givenName" optional autoComplete="given-name" />
      <RadioInput
        name="gender"
        inline
        options={genders.map(gender => ({ value: gender, label: t(`gender.${gender}`) }))}
      />
      <Section id="birth" heading={t('section.birth')}>
        <BirthDateInput
          fields={birthDate}
          group="dateOfBirth"
          unknown="dateOfBirthUnknown"
          autoComplete="bday"
        />
        <PlaceFields fields={birthPlace} />
      </Section>
      <Contact />
      <Section id="occupation-section" heading={t('section.occupation')}>
        <OccupationFields name="occupation" other="otherOccupation" />
      </Section>
      <Section id="residence" heading={t('section.residence')}>
        <PlaceFields fields={residence} />
        <TextInput name="resAddressStreet" hint={t('hint.street')} autoComplete="street-address" />
      </Section>
    </>
  )
}

function Contact() {
  const t = useText()
  const verifiedContact = useVerifiedContact()
  return (
    <Section id="contact" heading={t('section.contact')}>
      <PhoneInput readOnly={verifiedContact.msisdn !== ''} />
      <TextInput
        name="email"
        type="email"
        inputMode="email"
        autoCapitalize="none"
        autoComplete="email"
        spellCheck={false}
        optional={verifiedContact.email === ''}
        readOnlyReason={verifiedContact.email === '' ? undefined : t('field.known')}
        normalise={text => text.trim()}
      />
    </Section>
  )
}
