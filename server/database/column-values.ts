import { types, type CustomTypesConfig } from 'pg'

/**
 * Converts column values, the same way for PGlite and PostgreSQL: `date` is 'YYYY-MM-DD' (a `Date` would shift it by the
 * machine's time zone), `timestamp` is text like '2026-12-01T09:30:00', `bigint` is a number, `timestamptz` is a
 * `Date`.
 */
export const columnValues: CustomTypesConfig = { getTypeParser: parserOf }

type Parse = (text: string) => unknown

function parserOf(type: number, format?: 'text' | 'binary'): Parse {
  const ownParser = format === 'binary' ? undefined : parsers.get(type)
  return ownParser ?? parserOfPg(type, format)
}

// The declarations of `pg` allow only the type numbers of its own list; at run time `getTypeParser` takes any number.
const parserOfPg = types.getTypeParser as (type: number, format?: 'text' | 'binary') => Parse

const parsers = new Map<number, Parse>([
  [20, Number], // bigint
  [1016, text => parseArray(text).map(item => (item === null ? null : Number(item)))], // bigint[]
  [1082, text => text], // date
  [1114, text => text.replace(' ', 'T')], // timestamp without zone: an office's wall clock (D15)
  [1182, parseArray], // date[]
])

/** The type number of `text[]`. Its parser in pg-types splits the text of any array into its items. */
const TEXT_ARRAY = 1009

function parseArray(text: string): (string | null)[] {
  return parserOf(TEXT_ARRAY)(text) as (string | null)[] // what this parser returns
}
