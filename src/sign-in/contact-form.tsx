import { type RefCallback, useRef, useState } from 'react'
import { homeDialCode } from '#contract/codes.ts'
import { listDialCodes } from '#contract/dial-codes.ts'
import { isSignInNumber, toMsisdn } from '#contract/phone.ts'
import { isSignInEmail, normaliseEmail } from '#contract/email.ts'
import { useAutoCompleteOfDevice } from '#app/services.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { CodeRequestForm } from './code-request-form.tsx'
import type { BackButton } from './continue-row.tsx'
import type { CodeRequest } from './use-code-request.ts'
import type { Contact, PendingSignIn } from './pending-sign-in.ts'
import { phoneOf, readPhone, splitInternational, type TypedPhone } from './read-phone.ts'
import { PhoneField } from '#ui/phone-field.tsx'
import { TextField } from '#ui/text-field.tsx'

type ContactFormProps = {
  method: Contact['method']
  request: CodeRequest
  onSent: (pending: PendingSignIn) => void
  back: BackButton
  /** This form replaces the button that had the focus: the field gets the focus when it appears. */
  focused?: boolean
}

type FieldProps = {
  error: string | undefined
  attach: RefCallback<HTMLInputElement>
}

/** Asks for the number or address that gets a code. The rules are those of sign-in. */
export function ContactForm({ method, request, onSent, back, focused = true }: ContactFormProps) {
  const t = useText()
  const { input, attach } = useFocusedInput(focused)
  const [phone, setPhone] = useState(() => phoneOf(undefined))
  const [email, setEmail] = useState('')
  const [wrong, setWrong] = useState(false)
  const field = { error: wrong ? t('issue.not-valid') : undefined, attach }

  async function submit() {
    const contact = method === 'phone' ? readNumber(phone) : readAddress(email)
    setWrong(!contact)
    if (!contact) return input.current?.focus()
    const pending = await request.send(contact)
    if (pending) onSent(pending)
  }

  return (
    <CodeRequestForm request={request} onSubmit={submit} back={back}>
      {method === 'phone' ? (
        <NumberField
          {...field}
          value={phone}
          onChange={next => (setPhone(next), setWrong(false))}
          onBlur={() => setPhone(splitInternational)}
        />
      ) : (
        <AddressField {...field} value={email} onChange={next => (setEmail(next), setWrong(false))} />
      )}
    </CodeRequestForm>
  )
}

function readNumber(phone: TypedPhone): Contact | undefined {
  const { dialCode, subscriber } = readPhone(phone)
  if (!isSignInNumber(dialCode, subscriber)) return undefined
  return { method: 'phone', value: toMsisdn(dialCode, subscriber) }
}

function readAddress(email: string): Contact | undefined {
  return isSignInEmail(email) ? { method: 'email', value: email } : undefined
}

type NumberFieldProps = FieldProps & {
  value: TypedPhone
  onChange: (next: TypedPhone) => void
  onBlur: () => void
}

function NumberField({ error, attach, value, onChange, onBlur }: NumberFieldProps) {
  const t = useText()
  const language = useLanguage()
  const autoComplete = useAutoCompleteOfDevice()
  return (
    <PhoneField
      ref={attach}
      id="phoneNumber"
      name="phoneNumber"
      dialCodeName="dialCode"
      label={t('mobile.number')}
      hint={value.dialCode === homeDialCode ? t('hint.phoneHome') : undefined}
      dialCodeLabel={t('field.dialCode')}
      dialCodes={listDialCodes(language)}
      {...{ error, value, onChange, onBlur, autoComplete }}
    />
  )
}

type AddressFieldProps = FieldProps & { value: string; onChange: (next: string) => void }

function AddressField({ error, attach, value, onChange }: AddressFieldProps) {
  const t = useText()
  const autoComplete = useAutoCompleteOfDevice() ?? 'email'
  return (
    <TextField
      ref={attach}
      name="email"
      inputMode="email"
      autoComplete={autoComplete}
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      label={t('mail.address')}
      error={error}
      value={value}
      onChange={event => onChange(normaliseEmail(event.target.value))}
    />
  )
}

function useFocusedInput(focused: boolean) {
  const input = useRef<HTMLInputElement>(null)
  const [attach] = useState(() => (element: HTMLInputElement | null) => {
    input.current = element
    if (focused) element?.focus()
  })
  return { input, attach }
}
