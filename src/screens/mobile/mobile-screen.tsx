import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { useIntl } from 'react-intl'
import { listDialCodes } from '#contract/dial-codes.ts'
import { homeDialCode } from '#contract/codes.ts'
import { isSignInNumber, toMsisdn } from '#contract/phone.ts'
import { useText } from '#i18n/intl.ts'
import { toLanguage } from '#i18n/language.ts'
import { useServices } from '#portal/services.ts'
import { CodeRequestForm } from '#portal/sign-in/code-request-form.tsx'
import { afterPress, useCodeRequest } from '#portal/sign-in/code-request.ts'
import { recallContact } from '#portal/sign-in/pending-sign-in.ts'
import { SharedTick, useDeviceUse } from '#portal/sign-in/shared-tick.tsx'
import { Page } from '#ui/page.tsx'
import { PhoneField } from '#ui/phone-field.tsx'
import { looksUnusual, phoneOf, phoneTyped, readPhone, settlePhone } from '#portal/sign-in/read-phone.ts'

/** Sign-in by phone (SIG01–SIG05). */
export function MobileScreen() {
  const t = useText()
  const language = toLanguage(useIntl().locale)
  const { device } = useServices()
  const navigate = useNavigate()
  const shared = useDeviceUse().kind !== 'own'
  const request = useCodeRequest()
  const input = useRef<HTMLInputElement>(null)
  const [phone, setPhone] = useState(() => phoneTyped(device) ?? phoneOf(recallContact(device, 'phone')))
  const [painted] = useState(() => ({ language, choices: device.painted('dialCode')?.choices }))
  const [wrong, setWrong] = useState(false)
  const [left, setLeft] = useState(false)
  const page = t('mobile.heading')

  function settle() {
    setLeft(true)
    setPhone(settlePhone)
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
          hint={hintFor(phone.dialCode, left && looksUnusual(phone))}
          error={wrong ? t('issue.not-valid') : undefined}
          dialCodeLabel={t('field.dialCode')}
          autoComplete={shared ? 'off' : undefined}
          dialCodes={(painted.language === language && painted.choices) || listDialCodes(language)}
          value={phone}
          onChange={next => {
            setPhone(next)
            setWrong(false)
            setLeft(false)
          }}
          onBlur={() => void device.after(afterPress, settle)}
        />
        <SharedTick />
      </CodeRequestForm>
    </Page>
  )

  function hintFor(dialCode: string, unusual: boolean): string | undefined {
    if (dialCode !== homeDialCode) return undefined
    return t(unusual ? 'hint.phoneUnusual' : 'hint.phoneHome')
  }
}
