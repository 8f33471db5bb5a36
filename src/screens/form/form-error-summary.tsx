import type { FieldName, Tab } from '#contract/application.ts'
import { fieldsOfTab } from '#contract/application.ts'
import { useText } from '#i18n/intl.ts'
import { issueText } from '#i18n/issue-words.ts'
import { ErrorSummary } from '#ui/error-summary.tsx'
import { inDisplayOrder } from './field-order.ts'
import { useShownFaults } from './form-hooks.ts'

/** What stands in the way of going on from a tab, as links to its fields; it takes the focus when it comes. */
export function FormErrorSummary({ tab }: { tab: Tab }) {
  const t = useText()
  const faults = useShownFaults()
  const wrong = inDisplayOrder(fieldsOfTab[tab]).filter(name => faults[name])
  const groups = [...new Set(wrong.map(groupOf))]
  const items = groups.map(group => {
    const first = wrong.find(name => groupOf(name) === group)
    const words = issueText(t, first && faults[first]?.message)
    return { href: `#${group}`, text: t('form.fault', { field: t(`field.${group}`), fault: words ?? '' }) }
  })
  return <ErrorSummary ref={focusSummary} title={t('form.summaryTitle')} items={items} />
}

/** The parts of a birth date stand under one question, and a dial code beside its number. */
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

function focusSummary(summary: HTMLDivElement | null) {
  summary?.focus()
}
