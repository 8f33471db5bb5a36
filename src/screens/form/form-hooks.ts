import { useController, useFormContext, useFormState, type UseFormReturn, useWatch } from 'react-hook-form'
import type { FieldName, FormValues, TextFieldName } from '#contract/application.ts'
import type { PlaceFields } from '#contract/place.ts'
import { useText } from '#i18n/intl.ts'
import { issueText } from '#i18n/issue-text.ts'

// React Hook Form, bound once to the type of this form: a wrong field name does not compile.

/** The methods of React Hook Form for this form. */
export type FormMethods = UseFormReturn<FormValues>

export function useApplicationForm(): FormMethods {
  return useFormContext<FormValues>()
}

/** A controlled text field: its value, its handlers and the text of its issue. */
export function useTextAnswer<Name extends TextFieldName>(name: Name) {
  const t = useText()
  const { field, fieldState } = useController<FormValues, Name>({ name })
  const value: string = field.value
  return { ...field, value, error: issueText(t, fieldState.error?.message) }
}

/** Like `useTextAnswer`, but for an uncontrolled input, which typing does not re-render; `change` sets its text. */
export function useTypedAnswer(name: TextFieldName) {
  const t = useText()
  const { register, setValue } = useApplicationForm()
  const { errors } = useFormState<FormValues>({ name, exact: true })
  return {
    ...register(name),
    error: issueText(t, errors[name]?.message),
    change: (text: string) => setValue(name, text),
  }
}

export function useFlagAnswer(name: 'dateOfBirthUnknown' | 'reprDateOfBirthUnknown') {
  return useController<FormValues, typeof name>({ name }).field
}

/** The current answer, for fields that depend on it; re-renders when the answer changes. */
export function useAnswer<Name extends FieldName>(name: Name): FormValues[Name] {
  return useWatch<FormValues, Name>({ name })
}

/** The errors that are shown now, by field. */
export function useShownErrors() {
  return useFormState<FormValues>().errors
}

/** Writes all answers of a place at once, as if the applicant had given each of them. */
export function fillPlace(form: FormMethods, fields: PlaceFields<TextFieldName>, values: FormValues): void {
  for (const name of Object.values(fields)) form.setValue(name, values[name], { shouldTouch: true })
}

/** Empties fields and forgets that they were touched: a new question must not start with an issue. */
export function clearFields(form: FormMethods, names: readonly FieldName[]): void {
  for (const name of names) {
    const blank = typeof form.getValues(name) === 'boolean' ? false : ''
    form.setValue(name, blank)
    // For a field that was never shown, `resetField` does nothing.
    form.resetField(name, { defaultValue: blank })
  }
}
