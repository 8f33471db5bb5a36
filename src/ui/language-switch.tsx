import styles from './language-switch.module.css'
import { VisuallyHidden } from './visually-hidden.tsx'

interface LanguageOption<Code extends string> {
  code: Code
  /** The visible text: "FR". */
  label: string
  /** The name that a screen reader speaks, in that language: "Français". */
  name: string
}

interface LanguageSwitchProps<Code extends string> {
  label: string
  options: readonly LanguageOption<Code>[]
  current: Code
  onChoose: (code: Code) => void
}

export function LanguageSwitch<Code extends string>({
  label,
  options,
  current,
  onChoose,
}: LanguageSwitchProps<Code>) {
  return (
    // eslint-disable-next-line jsx-a11y/prefer-tag-over-role -- a screen reader would speak the legend of a fieldset at each button
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
          <VisuallyHidden> {option.name}</VisuallyHidden>
        </button>
      ))}
    </div>
  )
}
