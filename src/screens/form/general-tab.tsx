import { reasons } from '#contract/codes.ts'
import { previousPassport } from '#contract/documents.ts'
import { useText } from '#i18n/intl.ts'
import { clearFields, useApplicationForm } from './form-hooks.ts'
import { SelectInput } from './select-input.tsx'
import { TextInput } from './text-input.tsx'

export function GeneralTab() {
  const t = useText()
  const form = useApplicationForm()

  function clearPassport(reason: string) {
    if (previousPassport(reason) === 'none') clearFields(form, ['eppNumber', 'eppDateOfIssuance'])
  }

  return (
    <>
      <SelectInput
        name="reason"
        options={reasons.map(reason => ({ value: reason, label: t(`reason.${reason}`) }))}
        onAnswer={clearPassport}
      />
      <TextInput name="travelDestination" />
      <TextInput name="reasonForTravel" />
    </>
  )
}
