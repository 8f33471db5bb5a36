import type { FieldName, FormValues } from '#contract/application.ts'
import { copyFields } from '#contract/field-groups.ts'
import type { Conflict } from '#sync/merge.ts'

export type Side = 'mine' | 'theirs'

/**
 * Returns the form with the picked side of every conflict. `picks` names a conflict by its first field. Undefined while
 * a pick is missing.
 */
export function resolveConflict(
  { merged, conflicts }: { merged: FormValues; conflicts: readonly Conflict[] },
  picks: Partial<Record<FieldName, Side>>,
): FormValues | undefined {
  let form = merged
  for (const { fields, theirs } of conflicts) {
    const side = fields[0] && picks[fields[0]]
    if (side === undefined) return undefined
    if (side === 'theirs') form = copyFields(fields, theirs, form)
  }
  return form
}
