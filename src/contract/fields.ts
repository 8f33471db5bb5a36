import * as z from 'zod/mini'
import type { IssueCode, Limit } from './issues.ts'
import { withoutSeparators } from './phone.ts'

/**
 * Every form field is sent and stored as text, except yes or no (`flag`); '' means "not filled in". A number (a
 * dictionary id) becomes its digits, a missing or null key becomes ''. Any other type is an issue. Removes characters
 * that change the text direction: applicants do not type them, and they make a name look different from its characters.
 */
export const asText = z.pipe(
  z.optional(z.nullable(z.union([z.string(), z.number()]))),
  z.transform(value => (value === null || value === undefined ? '' : withoutBidiFormatting(String(value)))),
)

/** Free text of at most `limit` characters; spaces stay unchanged. */
export function text(limit: Limit) {
  return z.pipe(asText, z.string().check(atMost(limit), storable))
}

/** Trimmed text of at most `limit` characters, such as an e-mail address. */
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

/** One value of a closed list, or '' while nothing is selected. */
export function choice(values: readonly string[]) {
  return z.pipe(
    asText,
    z.string().check(context => {
      if (context.value !== '' && !values.includes(context.value)) addIssue(context, 'not-in-list')
    }),
  )
}

/** An id or code of a dictionary. Only the server can check that it exists. */
export function dictionaryId() {
  return z.pipe(
    asText,
    z.string().check(context => {
      if (!/^[\w-]{0,40}$/.test(context.value)) addIssue(context, 'not-in-list')
    }),
  )
}

/** Digits of a phone number; removes what `withoutSeparators` removes, such as spaces, dots and plus signs. */
export function digits() {
  return z.pipe(
    z.pipe(
      asText,
      z.transform(value => withoutSeparators(value)),
    ),
    z.string().check(
      context => {
        if (!/^\d*$/.test(context.value)) addIssue(context, 'digits-only')
      },
      // The valid length depends on the dial code, and the rules of the form check it. This limit only bounds the size.
      atMost(100),
    ),
  )
}

/** A dial code: one to three digits without a leading zero, or ''. */
export function dialCodeDigits() {
  return z.pipe(
    digits(),
    z.string().check(context => {
      if (!/^(?:[1-9]\d{0,2})?$/.test(context.value)) addIssue(context, 'not-in-list')
    }),
  )
}

/** A date or an incomplete date ("2020-5-"). Only the rules of the form check that it is a date (`dateIssue`). */
export function dateText() {
  return text(50)
}

/** Yes or no; a missing or null key means no. Any other type is an issue. */
export function flag() {
  return z.pipe(
    z.optional(z.nullable(z.boolean())),
    z.transform(value => value === true),
  )
}

/**
 * Removes the embeddings, overrides and isolates of Unicode. Keeps the direction marks, which a text in Arabic or
 * Hebrew may need; of a name or a phone number, `normaliseName` and `withoutSeparators` remove these too.
 */
function withoutBidiFormatting(value: string): string {
  return value.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
}

/**
 * Removes what no reader sees in a name: control and format characters, such as a zero-width space or a direction mark.
 * They make two different names look equal. Keeps the zero-width joiner and non-joiner between letters, because some
 * scripts spell with them. Keeps the null character too, so that `storable` reports it.
 */
export function normaliseName(value: string): string {
  const joined = value.replace(/\s/g, ' ').replace(/(?![\0\u200c\u200d])[\p{Cc}\p{Cf}]/gu, '')
  return joined
    .replace(/(?<!\p{L}\p{M}*)[\u200c\u200d]|[\u200c\u200d](?!\p{L})/gu, '')
    .trim()
    .replace(/ +/g, ' ')
}

/** Counts code points: a letter outside the basic plane counts as one character. */
export function countCharacters(value: string): number {
  return Array.from(value).length
}

/** True when the text has no visible character: only spaces, control and format characters. */
export function isBlank(value: string): boolean {
  return /^[\s\p{Cc}\p{Cf}]*$/u.test(value)
}

type CheckContext = { value: string; issues: unknown[] }

function atMost(limit: Limit) {
  return (context: z.core.ParsePayload<string>) => {
    if (countCharacters(context.value) > limit) addIssue(context, `too-long-${limit}`)
  }
}

/** PostgreSQL's jsonb takes neither a null character nor half a surrogate pair. */
function storable(context: z.core.ParsePayload<string>) {
  if (context.value.includes('\0') || /\p{Surrogate}/u.test(context.value)) addIssue(context, 'not-valid')
}

/** Adds an issue, unless the field has one. With `continue`, zod also checks the other fields and rules. */
function addIssue(context: z.core.ParsePayload<string> & CheckContext, code: IssueCode) {
  if (context.issues.length > 0) return
  context.issues.push({ code: 'custom', message: code, input: context.value, continue: true })
}
