import { genders, type Language, nicChoices, reasons } from '#contract/codes.ts'
import { type Country, type Occupation, occupationName } from '#contract/dictionary.ts'
import { formatPhone } from '#contract/phone.ts'
import type { Translate } from '#i18n/intl.ts'
import type { SummaryNames } from './summary-sections.ts'

type Dictionaries = {
  language: Language
  /** A list that has not loaded is undefined: then the summary shows ids. The names of countries are in `language`. */
  countries: readonly Country[] | undefined
  occupations: readonly Occupation[] | undefined
}

/** Returns the functions that turn the codes of a summary into texts. They return an unknown code unchanged. */
export function summaryNames(t: Translate, { language, countries, occupations }: Dictionaries): SummaryNames {
  return {
    reason: code => textOfCode(reasons, code, reason => t(`reason.${reason}`)),
    gender: code => textOfCode(genders, code, gender => t(`gender.${gender}`)),
    representative: code =>
      textOfCode(['YES', 'NO'], code, answer =>
        t(answer === 'YES' ? 'representative.YES' : 'representative.NO'),
      ),
    nic: code => textOfCode(nicChoices, code, choice => t(`nic.${choice}`)),
    country: id => countries?.find(country => country.id === id)?.name ?? id,
    occupation: id => {
      const found = occupations?.find(occupation => occupation.id === id)
      return (found && occupationName(found, language)) || id
    },
    phone: formatPhone,
  }
}

function textOfCode<Code extends string>(
  codes: readonly Code[],
  code: string,
  textOf: (known: Code) => string,
): string {
  const known = codes.find(each => each === code)
  return known === undefined ? code : textOf(known)
}
