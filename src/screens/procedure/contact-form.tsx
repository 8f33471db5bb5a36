import { useState } from 'react'
import { homeDialCode } from '#contract/codes.ts'
import { listDialCodes } from '#contract/dial-codes.ts'
import { isSignInNumber, toMsisdn } from '#contract/phone.ts'
import { isSignInEmail, normaliseEmail } from '#contract/email.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { CodeRequestForm } from '#sign-in/code-request-form.tsx'
import { useCodeRequest } from '#sign-in/code-request.ts'
import type { Contact, PendingSignIn } from '#sign-in/pending-sign-in.ts'
import { phoneOf, readPhone, normalisePhone } from '#sign-in/read-phone.ts'
import { PhoneField } from '#ui/phone-field.tsx'
import { TextField } from '#ui/text-field.tsx'
import { useFocusedInput } from './focused-input.ts'

type ContactFormProps = {
  method: Contact['method']
  onSent: (pending: PendingSignIn) => void
  onCancel: () => void
}

/** Where the code is to go; the rules are those of sign-in. */
export function ContactForm({ method, onSent, onCancel }: ContactFormProps) {
  const t = useText()
  const language = useLanguage()
  const request = useCodeRequest('addContact')
  const { input, attach } = useFocusedInput()
  const [phone, setPhone] = useState(() => phoneOf(undefined))
  const [email, setEmail] = useState('')
  const [wrong, setWrong] = useState(false)
  const error = wrong ? t('issue.not-valid') : undefined

  async function submit() {
    const contact = method === 'phone' ? readNumber() : readAddress()
    setWrong(!contact)
    if (!contact) return input.current?.focus()
    const pending = await request.send(contact)
    if (pending) onSent(pending)
  }

  function readNumber(): Contact | undefined {
    const { dialCode, subscriber } = readPhone(phone)
    if (!isSignInNumber(dialCode, subscriber)) return undefined
    return { method: 'phone', value: toMsisdn(dialCode, subscriber) }
  }

  function readAddress(): Contact | undefined {
    return isSignInEmail(email) ? { method: 'email', value: email } : undefined
  }

  return (
    <CodeRequestForm
      request={request}
      onSubmit={submit}
      back={{ label: t('button.cancel'), onPress: onCancel }}
    >
      {method === 'phone' ? (
        <PhoneField
          ref={attach}
          id="phoneNumber"
          name="phoneNumber"
          dialCodeName="dialCode"
          label={t('mobile.number')}
          hint={phone.dialCode === homeDialCode ? t('hint.phoneHome') : undefined}
          error={error}
          dialCodeLabel={t('field.dialCode')}
          dialCodes={listDialCodes(language)}
          value={phone}
          onChange={next => {
            setPhone(next)
            setWrong(false)
          }}
          onBlur={() => setPhone(normalisePhone)}
        />
      ) : (
        <TextField
          ref={attach}
          name="email"
          inputMode="email"
          autoComplete="email"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          label={t('mail.address')}
          error={error}
          value={email}
          onChange={event => {
            setEmail(normaliseEmail(event.target.value))
            setWrong(false)
          }}
        />
      )}
    </CodeRequestForm>
  )
}
