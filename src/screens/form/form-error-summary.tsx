import type { FieldName, Tab } from '#contract/application.ts'
import { fieldsOfTab } from '#contract/application.ts'
import { useText } from '#i18n/intl.ts'
import { issueText } from '#i18n/issue-text.ts'
import { ErrorSummary } from '#ui/error-summary.tsx'
import { takeFocus } from '#ui/take-focus.ts'
import { inDisplayOrder } from './field-order.ts'
import { useShownErrors } from './form-hooks.ts'

/** The errors of this tab, after they have stopped Continue or Submit, as links. Takes the focus when it is mounted. */
export function FormErrorSummary({ tab }: { tab: Tab }) {
  const t = useText()
  const errors = useShownErrors()
  const withErrors = inDisplayOrder(fieldsOfTab[tab]).filter(name => errors[name])
  const groups = [...new Set(withErrors.map(groupOf))]
  const items = groups.map(group => {
    const first = withErrors.find(name => groupOf(name) === group)
    const text = issueText(t, first && errors[first]?.message)
    const field = t(`field.${group}`)
    // A question has its own mark at the end; a colon after it is wrong.
    const key = field.endsWith('?') ? 'form.faultOfQuestion' : 'form.fault'
    return { href: `#${group}`, text: t(key, { field, fault: text ?? '' }) }
  })
  return <ErrorSummary ref={takeFocus} title={t('form.summaryTitle')} items={items} />
}

/** One link for a birth date, and one for a dial code with its number. */
const groups: Partial<Record<FieldName, 'dateOfBirth' | 'reprDateOfBirth' | 'phoneNumber'>> = {
  dayOfBirth: 'dateOfBirth',
  monthOfBirth: 'dateOfBirth',
  yearOfBirth: 'dateOfBirth',
  reprDayOfBirth: 'reprDateOfBirth',
  reprMonthOfBirth: 'reprDateOfBirth',
  reprYearOfBirth: 'reprDateOfBirth',
  dialCode: 'phoneNumber',
}

function groupOf(name: FieldName) {
  return groups[name] ?? name
}
