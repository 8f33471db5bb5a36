import type { UseFormReturn } from 'react-hook-form'
import type { FieldName, FormValues } from '#contract/application.ts'

export type ApplicationForm = UseFormReturn<FormValues>

/** Empties fields as if they had never been touched: a question that has just come up is not yet wrong. */
export function clearFields(form: ApplicationForm, names: readonly FieldName[]): void {
  for (const name of names) {
    const blank = typeof form.getValues(name) === 'boolean' ? false : ''
    form.setValue(name, blank)
    // Only a field that was shown has something to forget; for others this does nothing.
    form.resetField(name, { defaultValue: blank })
  }
}
