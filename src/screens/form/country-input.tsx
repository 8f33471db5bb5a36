import { useLanguage } from '#i18n/use-language.ts'
import { useQuery } from '@tanstack/react-query'
import type { TextFieldName } from '#contract/application.ts'
import { useText } from '#i18n/intl.ts'
import { useLoadedServices } from '#app/services.ts'
import { countryOptions, optionList } from './option-list.ts'
import { SelectInput } from './select-input.tsx'

/** `onAnswer`: called each time the applicant chooses a country. */
type CountryInputProps = { name: TextFieldName; onAnswer?: (() => void) | undefined }

export function CountryInput({ name, onAnswer }: CountryInputProps) {
  const { queries } = useLoadedServices()
  const t = useText()
  const language = useLanguage()
  const list = optionList(t, useQuery(queries.countries(language)), countryOptions(language))
  return <SelectInput name={name} {...list} onAnswer={onAnswer} />
}
