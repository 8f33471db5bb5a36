import { type ReactNode, useState, useSyncExternalStore } from 'react'
import { useFormState } from 'react-hook-form'
import type { FieldName, FormValues } from '#contract/application.ts'
import { useText } from '#i18n/intl.ts'
import { FoldableSection } from '#ui/foldable-section.tsx'
import { useValidation } from './validation-context.ts'

type FieldGroupProps = {
  id: string
  heading: string
  fields: readonly FieldName[]
  children: ReactNode
}

/** A named group of fields of a tab. The applicant may fold it while it is complete; an issue unfolds it. */
export function FieldGroup({ id, heading, fields, children }: FieldGroupProps) {
  const t = useText()
  const validation = useValidation()
  const hasIssue = useSyncExternalStore(validation.subscribe, () => validation.hasIssue(fields))
  const { errors } = useFormState<FormValues>({ name: fields })
  // Issues that the server has found are in the errors of the form, not in `validation`.
  const isComplete = !hasIssue && fields.every(field => errors[field] === undefined)
  const [isFolded, setFolded] = useState(false)
  // A group that an issue has unfolded stays unfolded when the issue is corrected.
  if (isFolded && !isComplete) setFolded(false)
  return (
    <FoldableSection
      id={id}
      heading={heading}
      completeText={isComplete ? t('tab.valid') : undefined}
      isFolded={isFolded}
      onToggle={() => setFolded(!isFolded)}
    >
      {children}
    </FoldableSection>
  )
}
