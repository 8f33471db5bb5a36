import { useLanguage } from '#i18n/use-language.ts'
import { dialCodes, listDialCodes } from '#contract/dial-codes.ts'
import { homeDialCode } from '#contract/codes.ts'
import { formatSubscriberNumber } from '#contract/phone-groups.ts'
import { normaliseSubscriber } from '#contract/phone.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { PhoneField } from '#ui/phone-field.tsx'
import { useTextAnswer } from './form-hooks.ts'

/** The applicant's phone number; read-only when the account has a verified number (PER14, S04). */
export function PhoneInput({ readOnly }: { readOnly: boolean }) {
  const t = useText()
  const language = useLanguage()
  const shared = useServices().deviceUse.isShared()
  const dialCode = useTextAnswer('dialCode')
  const { ref, ...number } = useTextAnswer('phoneNumber')

  function normaliseOnBlur() {
    const digits = normaliseSubscriber(dialCode.value, number.value)
    if (!readOnly && digits !== number.value) number.onChange(digits)
    number.onBlur()
    dialCode.onBlur()
  }

  return (
    <PhoneField
      id="phoneNumber"
      ref={ref}
      name="phoneNumber"
      dialCodeName="dialCode"
      dialCodeLabel={t('field.dialCode')}
      dialCodes={readOnly ? codesWithoutNames : listDialCodes(language)}
      label={t('field.phoneNumber')}
      hint={readOnly || dialCode.value !== homeDialCode ? undefined : t('hint.phoneHome')}
      error={number.error ?? dialCode.error}
      value={{ dialCode: dialCode.value, number: number.value }}
      shownNumber={formatSubscriberNumber(dialCode.value, number.value)}
      readOnly={readOnly}
      autoComplete={shared ? 'off' : undefined}
      readOnlyReason={t('field.known')}
      onChange={parts => {
        if (parts.dialCode !== dialCode.value) dialCode.onChange(parts.dialCode)
        if (parts.number !== number.value) number.onChange(parts.number)
      }}
      onBlur={normaliseOnBlur}
    />
  )
}

/** A read-only field shows only the code, so country names are not needed. */
const codesWithoutNames = dialCodes.map(({ code }) => ({ value: code, label: `+${code}` }))
