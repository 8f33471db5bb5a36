import { useDeferredValue, useRef, useState } from 'react'
import { listCommonDialCodes, listDialCodes } from '#contract/dial-codes.ts'
import { homeDialCode } from '#contract/codes.ts'
import { isSignInNumber, toMsisdn } from '#contract/phone.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { CodeRequestForm } from '#sign-in/code-request-form.tsx'
import { longestPressMs } from '#ui/longest-press.ts'
import { loadRouter, useCodeRequest } from '#sign-in/use-code-request.ts'
import { readPendingContact } from '#sign-in/pending-sign-in.ts'
import {
  looksUnusual,
  phoneOf,
  phoneTyped,
  readPhone,
  splitInternational,
  type TypedPhone,
} from '#sign-in/read-phone.ts'
import { SharedDeviceCheckbox, useDeviceUse } from '#sign-in/shared-device-checkbox.tsx'
import { Page } from '#ui/page.tsx'
import { PhoneField } from '#ui/phone-field.tsx'
import { useHydrated } from '#ui/use-hydrated.ts'

/** Sign-in by phone (SIG01–SIG05). */
export function MobileScreen() {
  const t = useText()
  const { device, navigation } = useServices()
  const shared = useDeviceUse().kind !== 'own'
  const request = useCodeRequest()
  const { input, phone, isWrong, isUnusual, change, normaliseTyped, check } = usePhoneEntry()
  const dialCodes = useDialCodes()
  const page = t('mobile.heading')

  async function submit() {
    const msisdn = check()
    if (msisdn === undefined) return input.current?.focus()
    const pending = await request.send({ method: 'phone', value: msisdn })
    if (pending) await navigation.go('/password')
  }

  return (
    <Page heading={page} lead={t('mobile.lead')}>
      <title>{t('app.title', { page: isWrong ? t('app.errorTitle', { page }) : page })}</title>
      <CodeRequestForm
        request={request}
        onSubmit={submit}
        back={{ label: t('button.back'), onPress: () => void navigation.go('/') }}
      >
        <PhoneField
          ref={input}
          id="phoneNumber"
          name="phoneNumber"
          dialCodeName="dialCode"
          label={t('mobile.number')}
          hint={hintFor(phone.dialCode)}
          error={isWrong ? t('issue.not-valid') : undefined}
          dialCodeLabel={t('field.dialCode')}
          autoComplete={shared ? 'off' : undefined}
          dialCodes={dialCodes}
          value={phone}
          keepsText
          onChange={change}
          onBlur={() => void device.after(longestPressMs, normaliseTyped)}
        />
        <SharedDeviceCheckbox />
      </CodeRequestForm>
    </Page>
  )

  function hintFor(dialCode: string): string | undefined {
    if (dialCode !== homeDialCode) return undefined
    return t(isUnusual ? 'hint.phoneUnusual' : 'hint.phoneHome')
  }
}

/**
 * The typed number, and whether the screen shows it as wrong or unusual. Only the input has the text, so that a key press
 * causes no rendering (D135).
 */
function usePhoneEntry() {
  const services = useServices()
  const { device } = services
  const input = useRef<HTMLInputElement>(null)
  const [first] = useState(() => phoneTyped(device) ?? phoneOf(readPendingContact({ device }, 'phone')))
  const [dialCode, setDialCode] = useState(first.dialCode)
  // The newest choice, for a function that runs later.
  const chosen = useRef(dialCode)
  const [isWrong, setWrong] = useState(false)
  const [isUnusual, setUnusual] = useState(false)

  function change({ dialCode: code }: TypedPhone) {
    choose(code)
    setWrong(false)
    setUnusual(false)
    if (numberOf(typed()) !== undefined) loadRouter(services)
  }

  /**
   * Runs after the press that took the focus from the field, because an error message that appears during a press would move
   * the pressed button.
   */
  function normaliseTyped() {
    // The applicant may have left the page.
    if (!input.current) return
    const next = splitInternational(typed())
    input.current.value = next.number
    choose(next.dialCode)
    setUnusual(looksUnusual(next))
    // No error yet for an empty field, or while the applicant is in the field again.
    if (next.number.trim() === '' || document.activeElement === input.current) return
    setWrong(numberOf(next) === undefined)
  }

  /** Returns the number with its country code. Returns undefined, and marks the field, when it is not valid. */
  function check(): string | undefined {
    const number = numberOf(typed())
    setWrong(number === undefined)
    return number
  }

  function choose(code: string) {
    chosen.current = code
    setDialCode(code)
  }

  function typed(): TypedPhone {
    return { dialCode: chosen.current, number: input.current?.value ?? '' }
  }

  return {
    input,
    phone: { dialCode, number: first.number },
    isWrong,
    isUnusual,
    change,
    normaliseTyped,
    check,
  }
}

/** Returns the number with its country code; undefined when it is not valid. */
function numberOf(typed: TypedPhone): string | undefined {
  const { dialCode, subscriber } = readPhone(typed)
  return isSignInNumber(dialCode, subscriber) ? toMsisdn(dialCode, subscriber) : undefined
}

/**
 * The codes that most applicants need, then all of them once the hydrated page has rendered: the names of 200 countries
 * would be a quarter of the prerendered page, and sorting them is slow on a phone.
 */
function useDialCodes() {
  const t = useText()
  const language = useLanguage()
  const { device } = useServices()
  const isComplete = useDeferredValue(useHydrated(), false)
  // Until then the list of the prerendered page, so that hydration finds no difference: browsers name countries
  // differently.
  const [prerendered] = useState(() => ({ language, choices: device.readPrerendered('dialCode')?.choices }))
  if (isComplete) return listDialCodes(language)
  if (prerendered.language === language && prerendered.choices) return prerendered.choices
  return [...listCommonDialCodes(language), { value: 'loading', label: t('app.loading'), disabled: true }]
}
