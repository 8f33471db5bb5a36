import { dialCodes, listDialCodes } from '#contract/dial-codes.ts'
import { homeDialCode } from '#contract/codes.ts'
import { formatSubscriberNumber } from '#contract/phone-groups.ts'
import { subscriberDigits } from '#contract/phone.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { PhoneField } from '#ui/phone-field.tsx'
import { useChosenLanguage } from './chosen-language.ts'
import { useTextAnswer } from './form-hooks.ts'

/** The applicant's number; one that sign-in proved is shown and stays as it is (PER14, S04). */
export function PhoneInput({ readOnly }: { readOnly: boolean }) {
  const t = useText()
  const language = useChosenLanguage()
  const shared = useServices().deviceUse.isShared()
  const dialCode = useTextAnswer('dialCode')
  const { ref, ...number } = useTextAnswer('phoneNumber')

  function leave() {
    const digits = subscriberDigits(dialCode.value, number.value)
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
      dialCodes={readOnly ? knownCodes : listDialCodes(language)}
      label={t('field.phoneNumber')}
      hint={readOnly || dialCode.value !== homeDialCode ? undefined : t('hint.phoneHome')}
      error={number.error ?? dialCode.error}
      value={{ dialCode: dialCode.value, number: number.value }}
      shownNumber={formatSubscriberNumber(dialCode.value, number.value)}
      readOnly={readOnly}
      autoComplete={shared ? 'off' : undefined}
      knownText={t('field.known')}
      onChange={parts => {
        if (parts.dialCode !== dialCode.value) dialCode.onChange(parts.dialCode)
        if (parts.number !== number.value) number.onChange(parts.number)
      }}
      onBlur={leave}
    />
  )
}

/** A locked box shows the code alone: no names are needed. */
const knownCodes = dialCodes.map(({ code }) => ({ value: code, label: `+${code}` }))
