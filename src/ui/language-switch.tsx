import styles from './language-switch.module.css'
import { Spinner } from './spinner.tsx'
import { VisuallyHidden } from './visually-hidden.tsx'

interface LanguageOption<Code extends string> {
  code: Code
  /** The visible text: "FR". */
  label: string
}

interface LanguageSwitchProps<Code extends string> {
  label: string
  options: readonly LanguageOption<Code>[]
  current: Code
  /** The language that loads after a press. */
  busy?: Code | undefined
  /** Spoken while the language loads. */
  text: string
  onChoose: (code: Code) => void
}

export function LanguageSwitch<Code extends string>({
  label,
  options,
  current,
  busy,
  text,
  onChoose,
}: LanguageSwitchProps<Code>) {
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a screen reader would speak the legend of a fieldset at each button
    <div className={styles.switch} role="group" aria-label={label}>
      {options.map(option => (
        <button
          key={option.code}
          type="button"
          lang={option.code}
          className={styles.option}
          aria-pressed={option.code === current}
          onClick={() => onChoose(option.code)}
        >
          {option.label}
          <VisuallyHidden> {option.code === busy && text}</VisuallyHidden>
          {option.code === busy && <Spinner />}
        </button>
      ))}
    </div>
  )
}
