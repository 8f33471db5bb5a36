import type { FocusEvent } from 'react'
import { CalendarButton, type CalendarButtonProps } from './calendar-button.tsx'
import { classNames } from './class-names.ts'
import control from './control.module.css'
import styles from './date-field.module.css'
import { Icon } from './icon.tsx'
import list from './select-field.module.css'
import { Fieldset, type FieldTexts } from './field.tsx'

/** The typed parts of a date: day "3" or "03", month "01" to "12", year. Each may be empty or invalid. */
export interface DateParts {
  day: string
  month: string
  year: string
}

type DatePart = keyof DateParts

type DatePartsFieldProps = FieldTexts & {
  /** Id of the group; the parts are `<id>-day`, `<id>-month`, `<id>-year`. */
  id: string
  mode?: 'full' | 'year-only' | undefined
  value: DateParts
  onChange: (next: DateParts) => void
  /** Called when the focus leaves the group. */
  onBlur?: (() => void) | undefined
  names: Record<DatePart, string>
  partLabels: Record<DatePart, string>
  /** Twelve, from January. */
  monthNames: readonly string[]
  monthPlaceholder: string
  /** A calendar that shows and sets the same date. */
  calendar?:
    | (Pick<CalendarButtonProps, 'label' | 'value' | 'min' | 'max'> & { onChange: (date: string) => void })
    | undefined
  /** The applicant's own date of birth: lets the browser fill it in. */
  autoComplete?: 'bday' | undefined
}

/** A date in three parts, with controls that are fast on a cheap phone: a select for the month, digits for the rest. */
export function DatePartsField({
  mode = 'full',
  value,
  onChange,
  onBlur,
  calendar,
  ...props
}: DatePartsFieldProps) {
  const { id, label, optionalLabel, hint, error } = props
  const parts: readonly DatePart[] = mode === 'full' ? ['day', 'month', 'year'] : ['year']

  function leave(event: FocusEvent<HTMLElement>) {
    const group = event.currentTarget.closest('fieldset')
    if (!group?.contains(event.relatedTarget)) onBlur?.()
  }

  return (
    <Fieldset {...{ id, label, optionalLabel, hint, error }}>
      {aria => (
        <div className={styles.parts}>
          {parts.map(part => (
            <Part
              key={part}
              {...props}
              part={part}
              invalid={aria.invalid}
              value={value[part]}
              onBlur={leave}
              onChange={text => onChange({ ...value, [part]: text })}
            />
          ))}
          {calendar && mode === 'full' && <CalendarButton {...calendar} onBlur={leave} />}
        </div>
      )}
    </Fieldset>
  )
}

type PartProps = Pick<
  DatePartsFieldProps,
  'id' | 'names' | 'partLabels' | 'monthNames' | 'monthPlaceholder' | 'autoComplete'
> & {
  part: DatePart
  invalid: boolean
  value: string
  onChange: (text: string) => void
  onBlur: (event: FocusEvent<HTMLElement>) => void
}

function Part({ id, part, names, partLabels, invalid, value, onChange, onBlur, ...props }: PartProps) {
  const partId = `${id}-${part}`
  const shared = {
    id: partId,
    name: names[part],
    value,
    autoComplete: props.autoComplete ? `${props.autoComplete}-${part}` : 'off',
    onBlur,
    'aria-invalid': invalid || undefined,
  }
  return (
    <div className={styles[part]}>
      <label className={styles.label} htmlFor={partId}>
        {partLabels[part]}
      </label>
      {part === 'month' ? (
        <div className={list.box}>
          <select
            {...shared}
            className={classNames(control.control, list.select)}
            onChange={event => onChange(event.target.value)}
          >
            <option value="">{props.monthPlaceholder}</option>
            {props.monthNames.map((name, index) => (
              <option key={name} value={String(index + 1).padStart(2, '0')}>
                {name}
              </option>
            ))}
          </select>
          <Icon name="down" className={list.arrow} />
        </div>
      ) : (
        <input
          {...shared}
          type="text"
          inputMode="numeric"
          className={control.control}
          onChange={event => onChange(event.target.value.trim())}
        />
      )}
    </div>
  )
}
