import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { listDialCodes } from '#contract/dial-codes.ts'
import { homeDialCode } from '#contract/codes.ts'
import { isSignInNumber, toMsisdn } from '#contract/phone.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { CodeRequestForm } from '#sign-in/code-request-form.tsx'
import { pressMs, useCodeRequest } from '#sign-in/code-request.ts'
import { readPendingContact } from '#sign-in/pending-sign-in.ts'
import { SharedDeviceCheckbox, useDeviceUse } from '#sign-in/shared-device-checkbox.tsx'
import { Page } from '#ui/page.tsx'
import { PhoneField } from '#ui/phone-field.tsx'
import { looksUnusual, phoneOf, phoneTyped, readPhone, normalisePhone } from '#sign-in/read-phone.ts'

/** Sign-in by phone (SIG01–SIG05). */
export function MobileScreen() {
  const t = useText()
  const language = useLanguage()
  const { device } = useServices()
  const navigate = useNavigate()
  const shared = useDeviceUse().kind !== 'own'
  const request = useCodeRequest()
  const input = useRef<HTMLInputElement>(null)
  const [phone, setPhone] = useState(() => phoneTyped(device) ?? phoneOf(readPendingContact(device, 'phone')))
  const [prerendered] = useState(() => ({ language, choices: device.readPrerendered('dialCode')?.choices }))
  const [wrong, setWrong] = useState(false)
  const [isFieldLeft, setLeft] = useState(false)
  const page = t('mobile.heading')

  function normaliseTyped() {
    setLeft(true)
    setPhone(normalisePhone)
    const number = input.current?.value ?? ''
    // An empty field is no mistake yet, nor one that somebody has come back to.
    if (number.trim() === '' || document.activeElement === input.current) return
    const { dialCode, subscriber } = readPhone({ ...phone, number })
    setWrong(!isSignInNumber(dialCode, subscriber))
  }

  async function submit() {
    const { dialCode, subscriber } = readPhone(phone)
    const valid = isSignInNumber(dialCode, subscriber)
    setWrong(!valid)
    if (!valid) return input.current?.focus()
    const pending = await request.send({ method: 'phone', value: toMsisdn(dialCode, subscriber) })
    if (pending) await navigate({ to: '/password' })
  }

  return (
    <Page heading={page} lead={t('mobile.lead')}>
      <title>{t('app.title', { page: wrong ? t('app.errorTitle', { page }) : page })}</title>
      <CodeRequestForm
        request={request}
        onSubmit={submit}
        back={{ label: t('button.back'), onPress: () => void navigate({ to: '/' }) }}
      >
        <PhoneField
          ref={input}
          id="phoneNumber"
          name="phoneNumber"
          dialCodeName="dialCode"
          label={t('mobile.number')}
          hint={hintFor(phone.dialCode, isFieldLeft && looksUnusual(phone))}
          error={wrong ? t('issue.not-valid') : undefined}
          dialCodeLabel={t('field.dialCode')}
          autoComplete={shared ? 'off' : undefined}
          dialCodes={(prerendered.language === language && prerendered.choices) || listDialCodes(language)}
          value={phone}
          onChange={next => {
            setPhone(next)
            setWrong(false)
            setLeft(false)
          }}
          onBlur={() => void device.after(pressMs, normaliseTyped)}
        />
        <SharedDeviceCheckbox />
      </CodeRequestForm>
    </Page>
  )

  function hintFor(dialCode: string, unusual: boolean): string | undefined {
    if (dialCode !== homeDialCode) return undefined
    return t(unusual ? 'hint.phoneUnusual' : 'hint.phoneHome')
  }
}
