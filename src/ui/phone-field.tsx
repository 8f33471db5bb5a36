import { memo, type Ref, useState } from 'react'
import control from './control.module.css'
import { Field, type FieldTexts, joinIds } from './field.tsx'
import { Icon } from './icon.tsx'
import { VerifiedMark } from './verified-mark.tsx'
import styles from './phone-field.module.css'

interface DialCodeOption {
  value: string
  /** In the list: "Cameroun (+237)". */
  label: string
  /** The text in the closed select; by default "+" and the value. */
  shown?: string | undefined
  disabled?: boolean | undefined
}

interface PhoneParts {
  dialCode: string
  number: string
}

type PhoneFieldProps = FieldTexts & {
  id: string
  name?: string | undefined
  dialCodeName?: string | undefined
  dialCodeLabel: string
  dialCodes: readonly DialCodeOption[]
  value: PhoneParts
  /** `value.number` is only the first text: the input keeps what is typed, and a key press causes no rendering (D135). */
  keepsText?: boolean | undefined
  /** The formatted number, shown until the applicant changes it, and again after the field was left. */
  shownNumber?: string | undefined
  onChange: (next: PhoneParts) => void
  onBlur?: (() => void) | undefined
  autoComplete?: string | undefined
  /** The number is verified: the applicant can change neither it nor the dial code. */
  readOnly?: boolean | undefined
  /** With `readOnly`: why the number cannot be changed. */
  readOnlyReason?: string | undefined
  ref?: Ref<HTMLInputElement> | undefined
}

export function PhoneField(props: PhoneFieldProps) {
  const { id, label, optionalLabel, hint, error, value, onChange, readOnly = false, keepsText } = props
  const [typing, setTyping] = useState(false)
  const shown = typing ? value.number : (props.shownNumber ?? value.number)
  const text = keepsText ? { defaultValue: value.number } : { value: shown }
  return (
    <Field {...{ id, label, optionalLabel, hint, error }}>
      {aria => (
        <VerifiedMark id={id} shown={readOnly} narrow text={props.readOnlyReason}>
          <div className={styles.pair}>
            <DialCode {...props} describedBy={aria.describedBy} />
            <div className={styles.number}>
              <input
                ref={props.ref}
                id={id}
                name={props.name}
                type="tel"
                inputMode="tel"
                autoComplete={props.autoComplete ?? 'tel-national'}
                className={control.control}
                {...text}
                readOnly={readOnly}
                aria-describedby={joinIds(aria.describedBy, readOnly && props.readOnlyReason && `${id}-lock`)}
                aria-invalid={aria.invalid || undefined}
                onChange={event => {
                  if (!keepsText) setTyping(true)
                  onChange({ ...value, number: event.target.value })
                }}
                onBlur={() => {
                  setTyping(false)
                  props.onBlur?.()
                }}
              />
            </div>
          </div>
        </VerifiedMark>
      )}
    </Field>
  )
}

/** Shows the dial code alone. A transparent native select with the names of the countries covers it and gets the taps. */
function DialCode(props: PhoneFieldProps & { describedBy: string | undefined }) {
  const { id, dialCodes, dialCodeName, dialCodeLabel, value, onChange, readOnly } = props
  const chosen = dialCodes.find(option => option.value === value.dialCode)
  return (
    <div className={styles.code} data-locked={readOnly ? '' : undefined}>
      <span className={styles.shown} aria-hidden="true">
        {chosen?.shown ?? (value.dialCode && `+${value.dialCode}`)}
      </span>
      {!readOnly && <Icon name="down" className={styles.arrow} />}
      <select
        id={`${id}-code`}
        name={dialCodeName}
        className={styles.list}
        aria-label={dialCodeLabel}
        aria-describedby={props.describedBy}
        autoComplete={props.autoComplete === 'off' ? 'off' : 'tel-country-code'}
        value={value.dialCode}
        disabled={readOnly}
        onChange={event => onChange({ ...value, dialCode: event.target.value })}
        onBlur={props.onBlur}
      >
        {!chosen && <option value={value.dialCode}>{value.dialCode && `+${value.dialCode}`}</option>}
        <Options {...{ dialCodes }} />
      </select>
    </div>
  )
}

/** Rendered again only for another list: a key in the number must not compare 200 options (D135). */
const Options = memo(function Options({ dialCodes }: Pick<PhoneFieldProps, 'dialCodes'>) {
  return dialCodes.map(option => (
    <option key={option.value} value={option.value} disabled={option.disabled}>
      {option.label}
    </option>
  ))
})
