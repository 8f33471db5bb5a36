import * as z from 'zod/mini'
import type { IssueCode, Limit } from './issues.ts'
import { withoutSeparators } from './phone.ts'

/**
 * Every form field travels and is kept as text; '' is "not filled in". A number (a dictionary id) is taken
 * as its digits, a missing or null key as ''. Any other type is refused. Marks that turn the direction of the text
 * around them go: nobody types them, and they make a name read otherwise than it is written.
 */
export const asText = z.pipe(
  z.optional(z.nullable(z.union([z.string(), z.number()]))),
  z.transform(value => (value === null || value === undefined ? '' : withoutDirectionMarks(String(value)))),
)

/** Free text of at most `limit` characters, its spaces kept as they are. */
export function text(limit: Limit) {
  return z.pipe(asText, z.string().check(atMost(limit), storable))
}

/** Text whose outer spaces mean nothing, as in an address for e-mail. */
export function trimmedText(limit: Limit) {
  return z.pipe(
    z.pipe(
      asText,
      z.transform(value => value.trim()),
    ),
    z.string().check(atMost(limit), storable),
  )
}

/** A person's name: trimmed, repeated spaces collapsed (PER03, S75), at most 100 characters. */
export function name() {
  return z.pipe(
    z.pipe(
      asText,
      z.transform(value => normaliseName(value)),
    ),
    z.string().check(atMost(100), storable),
  )
}

/** One of a closed list, or '' while nothing is chosen. */
export function choice(values: readonly string[]) {
  return z.pipe(
    asText,
    z.string().check(context => {
      if (context.value !== '' && !values.includes(context.value)) fault(context, 'not-in-list')
    }),
  )
}

/** An id or code out of a dictionary, whose existence only the server can check. */
export function dictionaryId() {
  return z.pipe(
    asText,
    z.string().check(context => {
      if (!/^[\w-]{0,40}$/.test(context.value)) fault(context, 'not-in-list')
    }),
  )
}

/** The digits of a number as people write it: spaces, dots, dashes, brackets and a leading plus fall away. */
export function digits() {
  return z.pipe(
    z.pipe(
      asText,
      z.transform(value => withoutSeparators(value)),
    ),
    z.string().check(
      context => {
        if (!/^\d*$/.test(context.value)) fault(context, 'digits-only')
      },
      // How many make a number depends on its code; a draft needs some bound all the same.
      atMost(100),
    ),
  )
}

/** A country's dialling code: one to three digits, none of which a zero to begin with. */
export function dialCodeDigits() {
  return z.pipe(
    digits(),
    z.string().check(context => {
      if (!/^(?:[1-9]\d{0,2})?$/.test(context.value)) fault(context, 'not-in-list')
    }),
  )
}

/** A date, or what has been typed of it so far ("2020-5-"); the rules say whether it is one. */
export function dateText() {
  return text(50)
}

export function flag() {
  return z.pipe(
    z.optional(z.nullable(z.boolean())),
    z.transform(value => value === true),
  )
}

/** The embeddings, overrides and isolates of Unicode; the marks that Arabic and Hebrew need stay. */
function withoutDirectionMarks(value: string): string {
  return value.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
}

export function normaliseName(value: string): string {
  return value.trim().replace(/\s+/g, ' ')
}

/** Characters as a person counts them on paper: a letter outside the basic plane is one. */
export function countCharacters(value: string): number {
  return Array.from(value).length
}

/** Nothing that a reader would see: spaces, and marks that only steer how text is shown. */
export function isBlank(value: string): boolean {
  return /^[\s\p{Cc}\p{Cf}]*$/u.test(value)
}

type CheckContext = { value: string; issues: unknown[] }

function atMost(limit: Limit) {
  return (context: z.core.ParsePayload<string>) => {
    if (countCharacters(context.value) > limit) fault(context, `too-long-${limit}`)
  }
}

/** PostgreSQL's jsonb takes neither a null character nor half a surrogate pair. */
function storable(context: z.core.ParsePayload<string>) {
  if (context.value.includes('\0') || /\p{Surrogate}/u.test(context.value)) fault(context, 'not-valid')
}

/** One fault a field, the first; without ending the check, so that the faults of all fields are found at once. */
function fault(context: z.core.ParsePayload<string> & CheckContext, code: IssueCode) {
  if (context.issues.length > 0) return
  context.issues.push({ code: 'custom', message: code, input: context.value, continue: true })
}
