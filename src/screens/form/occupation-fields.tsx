import { useLanguage } from '#i18n/use-language.ts'
import { useQuery } from '@tanstack/react-query'
import type { TextFieldName } from '#contract/application.ts'
import { noOccupation, otherOccupation } from '#contract/codes.ts'
import { useText } from '#i18n/intl.ts'
import { useLoadedServices } from '#app/services.ts'
import { clearFields, useAnswer, useApplicationForm } from './form-hooks.ts'
import { occupationOptions, optionList } from './option-list.ts'
import { SelectInput } from './select-input.tsx'
import { TextInput } from './text-input.tsx'

type OccupationProps = { name: TextFieldName; other: TextFieldName }

/** An occupation of the list, and a text field for "other" (PER17, REP08, DIC04, DIC05). */
export function OccupationFields({ name, other }: OccupationProps) {
  const { queries } = useLoadedServices()
  const t = useText()
  const language = useLanguage()
  const form = useApplicationForm()
  const chosen = useAnswer(name)
  const list = optionList(t, useQuery(queries.professions(language)), occupationOptions(t, language))
  return (
    <>
      <SelectInput
        name={name}
        {...list}
        optionForEmpty={noOccupation}
        optional
        onAnswer={() => clearFields(form, [other])}
      />
      {chosen === otherOccupation && <TextInput name={other} />}
    </>
  )
}
