import { genders, type Language, nicChoices, reasons } from '#contract/codes.ts'
import { type Country, type Occupation, occupationName } from '#contract/dictionary.ts'
import { formatPhone } from '#contract/phone.ts'
import type { Translate } from '#i18n/intl.ts'
import type { SummaryNames } from './summary-sections.ts'

type Dictionaries = {
  language: Language
  /** Undefined while the list is not loaded: the summary then shows ids. */
  countries: readonly Country[] | undefined
  occupations: readonly Occupation[] | undefined
}

/** Returns the functions that turn the codes of a summary into texts. An unknown code is shown as it is. */
export function summaryNames(t: Translate, { language, countries, occupations }: Dictionaries): SummaryNames {
  return {
    reason: code => name(reasons, code, reason => t(`reason.${reason}`)),
    gender: code => name(genders, code, gender => t(`gender.${gender}`)),
    representative: code =>
      name(['YES', 'NO'], code, answer => t(answer === 'YES' ? 'representative.YES' : 'representative.NO')),
    nic: code => name(nicChoices, code, choice => t(`nic.${choice}`)),
    country: id => countries?.find(country => country.id === id)?.name ?? id,
    occupation: id => {
      const found = occupations?.find(occupation => occupation.id === id)
      return (found && occupationName(found, language)) || id
    },
    phone: formatPhone,
  }
}

function name<Code extends string>(
  codes: readonly Code[],
  code: string,
  textOf: (known: Code) => string,
): string {
  const known = codes.find(each => each === code)
  return known === undefined ? code : textOf(known)
}
