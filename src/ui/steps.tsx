import { Icon } from './icon.tsx'
import styles from './steps.module.css'
import { VisuallyHidden } from './visually-hidden.tsx'

export interface Step {
  name: string
  state: 'done' | 'current' | 'todo'
  /** The state as a word: "terminé", "en cours", "à faire". */
  stateWord: string
}

interface StepsProps {
  label: string
  steps: readonly Step[]
  /** For a narrow screen: "Étape 2 sur 5 · Saisie des données". */
  summary: string
}

/** Progress in the steps: a summary and segments on a phone, the names of all steps on a wide screen. */
export function Steps({ label, steps, summary }: StepsProps) {
  return (
    <nav aria-label={label}>
      <p className={styles.summary} aria-hidden="true">
        {summary}
      </p>
      <ol className={styles.list}>
        {steps.map((step, index) => (
          <li
            key={step.name}
            className={styles.step}
            data-state={step.state}
            aria-current={step.state === 'current' ? 'step' : undefined}
          >
            <span className={styles.mark} aria-hidden="true">
              {step.state === 'done' ? <Icon name="tick" /> : index + 1}
            </span>
            <span className={styles.words}>
              <span className={styles.name}>{step.name}</span>
              <VisuallyHidden>, </VisuallyHidden>
              <span className={styles.state}>{step.stateWord}</span>
            </span>
          </li>
        ))}
      </ol>
    </nav>
  )
}
