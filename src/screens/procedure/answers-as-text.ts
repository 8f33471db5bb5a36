import { type FieldName, type FormValues, tabOfField, tabs } from '#contract/application.ts'
import { fieldGroups } from '#contract/field-groups.ts'
import type { Translate } from '#i18n/intl.ts'
import { answerLabel, answerText, type HomeNames } from '#summary/answer-text.ts'
import type { SummaryNames } from '#summary/summary-sections.ts'

export type AnswerNames = {
  names: SummaryNames
  /** The names of the place in Cameroon that a field group asks for; null for another group or another country. */
  homeOf: (fields: readonly FieldName[]) => HomeNames | null
}

/** Returns every answer as one line under the name of its tab, in the order of `fieldGroups`; skips empty answers. */
export function answersAsText(
  values: FormValues,
  { t, names, homeOf }: AnswerNames & { t: Translate },
): string[] {
  return tabs.flatMap(tab => {
    const lines = fieldGroups
      .filter(fields => isAsked(fields) && tabOfField(fields[0] ?? '') === tab)
      .flatMap(fields => {
        const value = answerText(fields, values, { names, home: homeOf(fields) })
        return value === '' ? [] : [t('procedure.answerLine', { label: t(answerLabel(fields)), value })]
      })
    return lines.length === 0 ? [] : ['', t(`tab.${tab}`), ...lines]
  })
}

/** The form has no question for the language of the procedure: every application has the same value (GEN05). */
function isAsked(fields: readonly FieldName[]): boolean {
  return !fields.includes('languagePref')
}
