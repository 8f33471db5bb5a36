import { birthDate, birthPlace, type PersonName, residence } from '#contract/person.ts'
import { genders } from '#contract/codes.ts'
import { useText } from '#i18n/intl.ts'
import { BeneficiaryHint } from './beneficiary.tsx'
import { BirthDateInput } from './birth-date-input.tsx'
import { FieldGroup } from './field-group.tsx'
import { NameInput } from './name-input.tsx'
import { OccupationFields } from './occupation-fields.tsx'
import { PhoneInput } from './phone-input.tsx'
import { PlaceFields } from './place-fields.tsx'
import { useVerifiedContact } from './verified-contact.ts'
import { RadioInput } from './radio-input.tsx'
import { SameAsBirthplace } from './same-as-birthplace.tsx'
import { TakeOverFromEarlier } from './take-over.tsx'
import { TextInput } from './text-input.tsx'

/**
 * The fields of each group, in the order of the screen: the heading of a group says whether all of them are valid. Together
 * they are the Person tab (PER22).
 */
const groups = {
  identity: [
    'surname',
    'givenName',
    'gender',
    ...Object.values(birthDate),
    'dateOfBirthUnknown',
    ...Object.values(birthPlace),
  ],
  contact: ['dialCode', 'phoneNumber', 'email', 'occupation', 'otherOccupation'],
  residence: [...Object.values(residence), 'resAddressStreet'],
} as const satisfies Record<string, readonly PersonName[]>

export function PersonTab() {
  const t = useText()
  return (
    <>
      <BeneficiaryHint />
      <TakeOverFromEarlier />
      <FieldGroup id="identity" heading={t('section.identity')} fields={groups.identity}>
        <Identity />
      </FieldGroup>
      <FieldGroup id="contact" heading={t('section.contact')} fields={groups.contact}>
        <Contact />
        <OccupationFields name="occupation" other="otherOccupation" />
      </FieldGroup>
      <FieldGroup id="residence" heading={t('section.residence')} fields={groups.residence}>
        <SameAsBirthplace />
        <PlaceFields fields={residence} />
        <TextInput name="resAddressStreet" hint={t('hint.street')} autoComplete="street-address" />
      </FieldGroup>
    </>
  )
}

function Identity() {
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
      <BirthDateInput
        fields={birthDate}
        group="dateOfBirth"
        unknown="dateOfBirthUnknown"
        autoComplete="bday"
      />
      <PlaceFields fields={birthPlace} />
    </>
  )
}

function Contact() {
  const t = useText()
  const verifiedContact = useVerifiedContact()
  return (
    <>
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
    </>
  )
}
