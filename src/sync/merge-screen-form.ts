import { emptyForm, type FieldName, fieldNames, type FormValues } from '#contract/application.ts'
import { copyFields, fieldGroups, haveSameAnswers } from '#contract/field-groups.ts'
import { type Draft, newDraft, type ServerForm } from '#store/draft.ts'
import { withoutBackoff } from './backoff.ts'
import { rebase } from './merge-draft.ts'
import { isSameForm, mergeForms } from './merge.ts'

export type ScreenForm = {
  values: FormValues
  tab: string
  lastKnown: Draft
  /** Who has typed; undefined when it is not known. */
  applicantId?: string | undefined
  /** Whether these answers have no faults; called only while a Submit waits. Without it, changed answers count as faulty. */
  isValid?: (values: FormValues) => boolean
}

/**
 * Merges the form on the screen with the stored draft. `lastKnown` is the draft as the form saw it last: answers that
 * differ in the store came from the server or from another tab, those that differ on the screen were typed here.
 */
export function mergeScreenForm(stored: Draft | undefined, typed: ScreenForm): Draft {
  const { values, tab, lastKnown } = typed
  const { base, emptied, theirs, create } = lastKnown
  if (!stored) return newDraft({ values, tab, base, emptied, theirs, create })
  const merged = mergeForms({ base: lastKnown.values, mine: values, theirs: stored.values })
  const next = clearRefusal(stored, { ...typed, values: merged.values })
  const draft = { ...next, values: merged.values, tab }
  const newest = stored.theirs ?? stored.base
  // Another tab or the sync has changed an answer that was typed here too. The typed answer stays. The applicant is
  // asked only if the server's answer is neither the typed one nor that of the base.
  if (merged.conflicts.length > 0 && newest) {
    const fields = merged.conflicts.flatMap(conflict => conflict.fields)
    const known = baseOfConflict(stored.base, { fields, lastKnown, typed: values })
    // Without `stored.theirs` the newest form is `stored.base`: only with the version and epoch of `lastKnown.base` can
    // `rebase` notice that the server was restored since (D62). A form that the page has read after `stored.base`, and could
    // not save, is no sign of that.
    const isOlder = base !== undefined && isBefore(base, newest)
    const knownBase = isOlder && !stored.theirs && known ? { ...base, values: known.values } : known
    return { ...rebase({ ...draft, base: knownBase }, newest), sending: stored.sending }
  }
  if (!draft.theirs) return draft
  // The applicant may have typed the conflict away. The write in progress continues.
  const known = baseOfConflict(stored.base, { fields: fieldNames, lastKnown: stored, typed: draft.values })
  return { ...rebase({ ...draft, base: known }, draft.theirs), sending: stored.sending }
}

/**
 * Whether the server is known to have given the first form before the second one. A restore raises all versions (D62):
 * of two epochs, the lower version came first. Within one epoch a lower version may come from a restore too, so only
 * the time decides. Where a form was opened from the server's copy, the time of this copy is not known
 * (`initialDraft`).
 */
function isBefore(first: ServerForm, second: ServerForm): boolean {
  const isOfOneEpoch = first.epoch === second.epoch
  if (isOfOneEpoch || first.version === undefined || second.version === undefined)
    return first.at > 0 && first.at <= second.at
  return first.version < second.version
}

/**
 * Returns the base for a merge with the server's form when the answers of `fields` have changed both on the screen and
 * in the store. It is the base of the stored draft (which `rebase` may have made for a form that was started offline),
 * but in `fields` it has the answers of `lastKnown.base`: when the applicant typed in these fields, the screen did not
 * show the stored answers yet. An answer that was typed back to that of `lastKnown.base` would count as unchanged: for
 * such an answer the base has the one that the screen showed before.
 */
function baseOfConflict(
  base: ServerForm | undefined,
  { fields, lastKnown, typed }: { fields: readonly FieldName[]; lastKnown: Draft; typed: FormValues },
): ServerForm | undefined {
  const known = lastKnown.base?.values ?? emptyForm()
  const typedBack = fieldGroups.filter(group => haveSameAnswers(typed, known, group)).flat()
  const shown = copyFields(typedBack, lastKnown.values, known)
  return base && { ...base, values: copyFields(fields, shown, base.values) }
}

/**
 * A changed answer ends a refusal. A waiting Submit sends the newest answers as soon as they have no fault. `values`: the
 * answers that the draft gets, also from another tab.
 */
function clearRefusal(draft: Draft, { values, isValid }: ScreenForm): Draft {
  if (isSameForm(draft.values, values))
    return draft.faulty && isValid?.(values) === true ? withoutFault(draft) : draft
  // The answers may be complete now, and an open order does not stop a complete form.
  const { stuck: _, faulty: __, delivered: ___, ...rest } = draft.heldByOrder ? withoutBackoff(draft) : draft
  const faulty = draft.submitted === true && isValid?.(values) !== true
  return { ...rest, ...(faulty && { faulty }) }
}

function withoutFault(draft: Draft): Draft {
  const { faulty: _, ...rest } = draft
  return rest
}
