import { emptyForm, type FieldName, type FormValues } from '#contract/application.ts'
import { type AnswerField, answerFields } from './story-names.ts'
import type { PhoneName } from './story.ts'

/** One typed answer that a page has reported as saved. */
export type Claim = {
  field: AnswerField
  value: string
  /** The id under which the applicant opened the form. */
  openedAs: string
  /** The server's copy, a merge, a restore or a restart may have replaced this answer. */
  mayBeReplaced: boolean
  /** The applicant has typed back the answer that the form had before. */
  isTypedBack: boolean
  /**
   * The other pages in which the applicant had typed over this answer before it was typed back: their forms have shown it, so
   * what they save later takes its place (D75).
   */
  typedOverIn: ReadonlySet<PageMemory>
  /**
   * Another form of the phone has typed over this answer. Since then the phone has it as an earlier answer or, when the
   * disk was full, the memory of that form's page has it.
   */
  wasOvertyped: boolean
  /** Its phone had the answer in a draft when the oracle checked last; true before the first check. */
  wasOnPhone: boolean
  /** The phones whose drafts had the answer when the oracle found it last, also as the other side of a conflict. */
  lastOn: readonly PhoneName[]
  /** A phone or the server has had the answer since a page reported it. */
  wasKept: boolean
  /** The event of the clock at which the answer was missed; undefined while it is where it must be. */
  missingSince: number | undefined
  /** The answer was replaced, and must be an earlier answer of a phone (D63). */
  isReplaced: boolean
  /** The answer was replaced, and its phone may have dropped it while the disk had no space for earlier answers (D63). */
  wasDropped: boolean
}

/** An answer that the memory of a page has, because the device could not save it. */
export type MemoryAnswer = {
  field: AnswerField
  value: string
  memory: PageMemory
  /** The id under which the applicant opened the form. */
  openedAs: string
}

/** The memory of one page for one applicant. `isLost`: the page has ended, or had to forget the answers. */
export type PageMemory = { isLost: boolean }

type Typed = { field: FieldName; value: string }
type TypedPlace = { phone: PhoneName; memory: PageMemory }
type TypedTime = { atMs: number; phoneMs: number }

/** A new form has these answers. The applicant has not typed them, so no page can lose them. */
const untyped = emptyForm()

type ClaimOrigin = Pick<Claim, 'openedAs' | 'mayBeReplaced' | 'isTypedBack' | 'typedOverIn'>

/**
 * Until a tab has taken the form from another one, the applicant can type in both. The answer that is saved last then counts as
 * the newest, and the other one becomes an earlier answer.
 */
const takeOverMs = 1_200

export type ReportedAnswers = ReturnType<typeof createReportedAnswers>

/**
 * The answers that pages have reported as saved. An answer leaves this list when an applicant who saw it types, chooses or
 * restores another one, or when the oracle forgives its loss.
 */
export function createReportedAnswers() {
  const claims = new Map<string, Claim>()
  /** The answers that count no more, each with the pages in which the applicant has typed over it. */
  const released = new Map<string, Set<PageMemory>>()
  const replaceable = new Set<string>()
  const runningRestores = new Set<object>()
  const inMemory = new Map<string, MemoryAnswer>()
  /** Where each answer was typed last. */
  const typedIn = new Map<string, TypedPlace>()
  /** When each answer was typed last, by the true time. */
  const typedAt = new Map<string, number>()
  /** When each answer was typed last, by the clock of its phone, which may jump. */
  const phoneTypedAt = new Map<string, number>()
  /** When a tab that had the form, or took it back, last showed each answer that it had not saved, by the true time. */
  const unsavedAt = new Map<string, number>()

  function release(field: AnswerField, value: string, page?: PageMemory) {
    const pages = released.get(keyOf(field, value)) ?? new Set()
    if (page) pages.add(page)
    released.set(keyOf(field, value), pages)
    claims.delete(keyOf(field, value))
    inMemory.delete(keyOf(field, value))
  }

  function claim(field: AnswerField, value: string, { mayBeReplaced, ...origin }: ClaimOrigin) {
    // Another tab may show an answer, and the applicant may replace it there, before this page reports it as saved.
    if (isUntyped(field, value) || released.has(keyOf(field, value))) return
    const key = keyOf(field, value)
    claims.set(key, {
      field,
      value,
      ...origin,
      mayBeReplaced: mayBeReplaced || replaceable.has(key),
      wasOvertyped: false,
      wasOnPhone: true,
      lastOn: [],
      wasKept: false,
      missingSince: undefined,
      isReplaced: false,
      wasDropped: false,
    })
  }

  return {
    claim,
    /** `page`: that in which the applicant types over the answer. */
    release,
    /** The pages in which the applicant has typed over this answer since it was typed last. */
    pagesTypedOver: (field: AnswerField, value: string) => [...(released.get(keyOf(field, value)) ?? [])],
    /** The page says that the device cannot save this answer, and that the page keeps it (D63). */
    addInMemory(answer: MemoryAnswer) {
      const { field, value } = answer
      if (isUntyped(field, value) || released.has(keyOf(field, value))) return
      inMemory.set(keyOf(field, value), answer)
    },
    /** The answers that a page has promised to keep, and that no device or server has had since. */
    onlyInMemory: () => [...inMemory.values()].filter(({ memory }) => !memory.isLost),
    /** A device or the server has this answer now. */
    removeInMemory: ({ field, value }: MemoryAnswer) => void inMemory.delete(keyOf(field, value)),
    /** The applicant types this answer, for the first time or again. `atMs`: the true time. `phoneMs`: by the phone's clock. */
    onTyped(field: FieldName, value: string, { atMs, phoneMs, ...place }: TypedPlace & TypedTime) {
      typedAt.set(keyOf(field, value), atMs)
      phoneTypedAt.set(keyOf(field, value), phoneMs)
      typedIn.set(keyOf(field, value), place)
    },
    /** The phone on which this answer was typed; undefined for an answer of a new form. */
    phoneOf: ({ field, value }: Typed) => typedIn.get(keyOf(field, value))?.phone,
    /** The memory of the page in which this answer was typed; undefined for an answer of a new form. */
    memoryOf: ({ field, value }: Typed) => typedIn.get(keyOf(field, value))?.memory,
    /** When this answer was typed last, by the true time. */
    typedAt: (answer: Typed) => timeOf(typedAt, answer),
    /** A tab has the form, or takes it back from another one, and shows this answer, which it has not saved. */
    onUnsaved: (field: FieldName, value: string, atMs: number) =>
      void unsavedAt.set(keyOf(field, value), atMs),
    wasTypedAfter: (one: Typed, other: Typed) => timeOf(typedAt, one) > timeOf(typedAt, other),
    /**
     * Whether the answer `one` may take the place of `other`: it was typed or taken back later, or in the moment in which its
     * tab takes the form from another tab. For the phone, an answer from before a jump of its clock to the past is newer.
     */
    isNewer: (one: Typed, other: Typed) =>
      Math.max(timeOf(typedAt, one), timeOf(unsavedAt, one)) > timeOf(typedAt, other) - takeOverMs ||
      timeOf(phoneTypedAt, one) > timeOf(phoneTypedAt, other),
    /** The applicant types an answer again that was typed over: from now on it counts again. */
    takeBack: (field: AnswerField, value: string) => void released.delete(keyOf(field, value)),
    /** Whether the server's copy, a merge, a restore or a restart may take the place of this answer. */
    mayReplaceAnswer: (field: AnswerField, value: string) =>
      runningRestores.size > 0 || replaceable.has(keyOf(field, value)),
    /**
     * Allows that these answers are found among the earlier answers only, also if a page reports them as saved later.
     */
    mayReplace(forms: readonly FormValues[]) {
      for (const form of forms) for (const field of answerFields) replaceable.add(keyOf(field, form[field]))
      for (const each of claims.values()) if (hasAnswer(forms, each)) each.mayBeReplaced = true
    },
    /**
     * As `mayReplace`, for what only this memory has: a write that began before may still save it, and its page then reports it
     * as saved.
     */
    mayReplaceInMemory(memory: PageMemory) {
      for (const each of inMemory.values())
        if (each.memory === memory) replaceable.add(keyOf(each.field, each.value))
    },
    /** As `mayReplace`, for one answer that a page has reported. When a page reports it again, it counts again. */
    mayReplaceOne({ field, value }: Pick<Claim, 'field' | 'value'>) {
      const known = claims.get(keyOf(field, value))
      if (known) known.mayBeReplaced = true
    },
    /** As `mayReplace`, for one field. */
    mayReplaceField(field: AnswerField, forms: readonly FormValues[]) {
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
    find: ({ field, value }: Pick<Claim, 'field' | 'value'>) => claims.get(keyOf(field, value)),
    claims: () => [...claims.values()],
  }
}

function timeOf(times: ReadonlyMap<string, number>, { field, value }: Typed): number {
  return times.get(keyOf(field, value)) ?? -Infinity
}

/** Whether this is the answer of a new form, or none. */
export function isUntyped(field: AnswerField, value: string): boolean {
  return value === '' || value === untyped[field]
}

function keyOf(field: FieldName, value: string): string {
  return `${field} ${value}`
}

export function hasAnswer(
  forms: readonly FormValues[],
  { field, value }: Pick<Claim, 'field' | 'value'>,
): boolean {
  return forms.some(form => form[field] === value)
}

/** Those of `answerFields` that differ between two forms. */
export function differingFields(one: FormValues, other: FormValues): AnswerField[] {
  return answerFields.filter(field => one[field] !== other[field])
}
