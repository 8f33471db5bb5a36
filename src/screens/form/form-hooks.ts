import { useController, useFormContext, useFormState, useWatch } from 'react-hook-form'
import type { FieldName, FormValues, TextFieldName } from '#contract/application.ts'
import { useText } from '#i18n/intl.ts'
import { issueText } from '#i18n/issue-words.ts'

/** The hooks of the form library, bound once to this form: a wrong name does not compile. */
export function useApplicationForm() {
  return useFormContext<FormValues>()
}

/** One text field: what an input takes, and the words of its fault. */
export function useTextAnswer<Name extends TextFieldName>(name: Name) {
  const t = useText()
  const { field, fieldState } = useController<FormValues, Name>({ name })
  const value: string = field.value
  return { ...field, value, error: issueText(t, fieldState.error?.message) }
}

/** As useTextAnswer, for an input that keeps its own text: nothing is drawn anew while somebody types. */
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

/** The answer as it stands now, for what depends on it. */
export function useAnswer<Name extends FieldName>(name: Name): FormValues[Name] {
  return useWatch<FormValues, Name>({ name })
}

/** All faults that are shown now, by field. */
export function useShownFaults() {
  return useFormState<FormValues>().errors
}
