import type { FormValues } from '#contract/application.ts'
import { type TypedField, typedFields } from './story.ts'

/** One typed answer that a page has reported as saved. */
export type Claim = {
  field: TypedField
  value: string
  /** The id under which the applicant opened the form. */
  openedAs: string
  /** The server's copy, a merge, a restore or a restart may have replaced this answer. */
  mayBeReplaced: boolean
  /** The applicant has typed back the answer that the form had before. */
  isTypedBack: boolean
  /** Another form of the phone has typed over this answer, and the phone has it as an earlier answer since. */
  wasOvertyped: boolean
  /** The event of the clock at which the answer was missed; undefined while it is where it must be. */
  missingSince: number | undefined
  /** The answer was replaced, and must be an earlier answer of a phone (D63). */
  isReplaced: boolean
}

type ClaimOrigin = Pick<Claim, 'openedAs' | 'mayBeReplaced' | 'isTypedBack'>

export type ReportedAnswers = ReturnType<typeof createReportedAnswers>

/**
 * The answers that pages have reported as saved. An answer leaves this list when an applicant who saw it types, chooses or
 * restores another one, or when the oracle forgives its loss.
 */
export function createReportedAnswers() {
  const claims = new Map<string, Claim>()
  const released = new Set<string>()
  const replaceable = new Set<string>()
  const runningRestores = new Set<object>()

  function release(field: TypedField, value: string) {
    released.add(keyOf(field, value))
    claims.delete(keyOf(field, value))
  }

  function claim(field: TypedField, value: string, { mayBeReplaced, ...origin }: ClaimOrigin) {
    // Another tab may show an answer, and the applicant may replace it there, before this page reports it as saved.
    if (value === '' || released.has(keyOf(field, value))) return
    const key = keyOf(field, value)
    claims.set(key, {
      field,
      value,
      ...origin,
      mayBeReplaced: mayBeReplaced || replaceable.has(key),
      wasOvertyped: false,
      missingSince: undefined,
      isReplaced: false,
    })
  }

  return {
    claim,
    release,
    /** The applicant types an answer again that was typed over: from now on it counts again. */
    takeBack: (field: TypedField, value: string) => void released.delete(keyOf(field, value)),
    /** Whether the server's copy, a choice or a restore may take the place of this answer. */
    mayReplaceAnswer: (field: TypedField, value: string) =>
      runningRestores.size > 0 || replaceable.has(keyOf(field, value)),
    /**
     * Allows that these answers are found among the earlier answers only, also if a page reports them as saved later.
     */
    mayReplace(forms: readonly FormValues[]) {
      for (const form of forms) for (const field of typedFields) replaceable.add(keyOf(field, form[field]))
      for (const each of claims.values()) if (hasAnswer(forms, each)) each.mayBeReplaced = true
    },
    /** As `mayReplace`, for one field. */
    mayReplaceField(field: TypedField, forms: readonly FormValues[]) {
      for (const form of forms) replaceable.add(keyOf(field, form[field]))
      for (const each of claims.values())
        if (each.field === field && hasAnswer(forms, each)) each.mayBeReplaced = true
    },
    /**
     * A restore of earlier answers begins. Until its end it may also replace what another tab has saved in the same moment.
     * Returns the function that ends it.
     */
    beginRestore(): () => void {
      const restore = {}
      runningRestores.add(restore)
      return () => void runningRestores.delete(restore)
    },
    isRestoring: () => runningRestores.size > 0,
    /** Whether a page must still show this answer. */
    mustShow: (field: TypedField, value: string) => claims.get(keyOf(field, value))?.isReplaced === false,
    claims: () => [...claims.values()],
  }
}

function keyOf(field: TypedField, value: string): string {
  return `${field} ${value}`
}

export function hasAnswer(
  forms: readonly FormValues[],
  { field, value }: Pick<Claim, 'field' | 'value'>,
): boolean {
  return forms.some(form => form[field] === value)
}

/** Those of `typedFields` that differ between two forms. */
export function differingFields(one: FormValues, other: FormValues): TypedField[] {
  return typedFields.filter(field => one[field] !== other[field])
}
