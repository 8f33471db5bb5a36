import type { ReactNode } from 'react'
import { normaliseName } from '#contract/fields.ts'
import type { TextFieldName } from '#contract/application.ts'
import { TextInput } from './text-input.tsx'

type NameInputProps = {
  name: TextFieldName
  optional?: boolean | undefined
  hint?: ReactNode | undefined
  autoComplete?: 'family-name' | 'given-name' | undefined
}

/** A person's name. On blur the field is trimmed and repeated spaces are collapsed (PER03, S75). */
export function NameInput(props: NameInputProps) {
  return <TextInput {...props} normalise={normaliseName} autoCapitalize="words" spellCheck={false} />
}
