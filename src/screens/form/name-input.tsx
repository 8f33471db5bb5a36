import { type ReactNode, useState } from 'react'
import { normaliseName } from '#contract/fields.ts'
import type { TextFieldName } from '#contract/application.ts'
import { useText } from '#i18n/intl.ts'
import { useApplicationForm } from './form-hooks.ts'
import { TextInput } from './text-input.tsx'

type NameInputProps = {
  name: TextFieldName
  optional?: boolean | undefined
  hint?: ReactNode | undefined
  autoComplete?: 'family-name' | 'given-name' | undefined
}

/**
 * A person's name. On blur the field is trimmed and repeated spaces are collapsed (PER03, S75). A name in other letters
 * is accepted, but a passport has Latin ones: a hint says so, also during typing.
 */
export function NameInput({ hint, ...props }: NameInputProps) {
  const t = useText()
  const form = useApplicationForm()
  const [isOther, setOther] = useState(() => hasOtherLetters(form.getValues(props.name)))

  function noteLetters(text: string) {
    const isOtherNow = hasOtherLetters(text)
    // React would keep an update to the same value in memory until the next render, which may never come.
    if (isOtherNow !== isOther) setOther(isOtherNow)
  }

  return (
    <TextInput
      {...props}
      hint={isOther ? t('hint.latinLetters') : hint}
      normalise={normaliseName}
      onAnswer={noteLetters}
      autoCapitalize="words"
      spellCheck={false}
    />
  )
}

/** Some letters belong to no script or to several, such as the modifier letter apostrophe. */
function hasOtherLetters(text: string): boolean {
  return /(?=\p{L})[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(text)
}
