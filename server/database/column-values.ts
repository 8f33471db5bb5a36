import { types, type CustomTypesConfig } from 'pg'

/**
 * How columns become values, the same on both engines: `date` stays 'YYYY-MM-DD' (a `Date` would shift it by the
 * machine's time zone), `bigint` is a number, `timestamptz` is a `Date`.
 */
export const columnValues: CustomTypesConfig = { getTypeParser: parserOf }

type Parse = (text: string) => unknown

function parserOf(type: number, format?: 'text' | 'binary'): Parse {
  const ownParser = format === 'binary' ? undefined : parsers.get(type)
  return ownParser ?? parserOfPg(type, format)
}

// `pg` types this over its own list of types; any other number reaches it as well.
const parserOfPg = types.getTypeParser as (type: number, format?: 'text' | 'binary') => Parse

const parsers = new Map<number, Parse>([
  [20, Number], // bigint
  [1016, text => parseArray(text).map(item => (item === null ? null : Number(item)))], // bigint[]
  [1082, text => text], // date
  [1114, text => text.replace(' ', 'T')], // timestamp without zone: an office's wall clock (D15)
  [1182, parseArray], // date[]
])

/** pg-types knows the syntax of arrays under the number of `text[]`. */
const TEXT_ARRAY = 1009

function parseArray(text: string): (string | null)[] {
  return parserOf(TEXT_ARRAY)(text) as (string | null)[] // what pg-types makes of an array of texts
}
