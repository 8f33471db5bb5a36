import { type MessageKey, type Translate, useText } from '#i18n/intl.ts'
import { usePathname } from '#app/services.ts'
import { type Step, Steps } from '#ui/steps.tsx'
import { type Progress, progressAt, stepCount } from './route-progress.ts'

const nameKeys = [
  'steps.signIn',
  'steps.dataEntry',
  'steps.confirmation',
  'steps.payment',
  'steps.final',
] as const satisfies readonly MessageKey[]

/** The progress indicator (NAV15): reads the current step from the route. Absent on a page without a step (S22). */
export function RouteSteps() {
  const t = useText()
  const pathname = usePathname()
  const progress = progressAt(pathname)
  const number = progress.current ?? progress.finished
  if (number === 0) return null
  return (
    <Steps
      label={t('steps.label')}
      steps={nameKeys.map((key, index) => toStep(t, { key, number: index + 1, progress }))}
      summary={t('steps.summary', {
        number,
        total: stepCount,
        name: t(nameKeys[number - 1] ?? 'steps.final'),
      })}
    />
  )
}

function toStep(
  t: Translate,
  { key, number, progress }: { key: MessageKey; number: number; progress: Progress },
): Step {
  if (number <= progress.finished) return { name: t(key), state: 'done', stateWord: t('steps.done') }
  if (number === progress.current) return { name: t(key), state: 'current', stateWord: t('steps.current') }
  return { name: t(key), state: 'todo', stateWord: t('steps.todo') }
}
