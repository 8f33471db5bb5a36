import type { RandomSource } from '#support/random-source.ts'

const text = (length: number, character = 'x') => character.repeat(length)

/** Values that a field does not expect: other types, limits, odd Unicode, names of JavaScript, SQL. */
const oddValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  -0,
  2 ** 53,
  '',
  ' ',
  '\0',
  'a\0b',
  '\uD800',
  'x\uDFFFy',
  '\u202Eabc\u202C',
  '\u200B\u200D\uFEFF',
  'e\u0301'.repeat(40),
  text(300, '\u0300'),
  '\uFFFE\uFFFF',
  '𠮷👨‍👩‍👧‍👦🇨🇲',
  'ﷺ'.repeat(50),
  '<script>alert(1)</script>',
  "' or 1=1 --",
  '${7*7}{{7*7}}%s%n',
  '../../../../etc/passwd',
  '%00%zz',
  'true',
  'NaN',
  '1e309',
  '-1',
  '99999999999999999999',
  '0x10',
  '2030-02-30',
  '0000-00-00T00:00:00',
  '2030-01-01T25:61:61',
  '+275760-09-13T00:00:00.001Z',
  'constructor',
  '__proto__',
  text(101),
  text(1_001),
  text(8_001),
  [],
  {},
  [[]],
  [null],
  [''],
  { data: [] },
  { length: 1e9 },
  { toString: 'x', valueOf: 1 },
  { '': '' },
]

export const oddTexts = oddValues.filter(value => typeof value === 'string')

/** Keys that objects have by themselves, or that statements and paths read in their own way. */
const oddKeys = ['__proto__', 'constructor', 'toString', '', '$where', 'a.b', 'id', 'applicantId', 'state']

export function oddValue(random: RandomSource): unknown {
  switch (random.below(12)) {
    case 0:
      return text(1 + random.below(200_000), random.pick(['a', 'é', '𠮷', '\0', '"', '\\']))
    case 1:
      return Array.from({ length: random.below(3_000) }, () => random.pick(oddValues))
    case 2:
      return nested(1 + random.below(3_000), random.pick(['[]', '{}']))
    default:
      return random.pick(oddValues)
  }
}

/** Returns the object with one field changed, removed or added. */
export function changeField(
  random: RandomSource,
  fields: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const names = Object.keys(fields)
  const name = names.length === 0 || random.below(8) === 0 ? random.pick(oddKeys) : random.pick(names)
  const others = Object.entries(fields).filter(([other]) => other !== name)
  return Object.fromEntries(random.below(5) === 0 ? others : [...others, [name, oddValue(random)]])
}

/** The JSON text of nested lists or objects. It is no value, because a parser may refuse what it cannot hold. */
class JsonText {
  readonly text: string
  constructor(json: string) {
    this.text = json
  }
}

function nested(depth: number, brackets: string): JsonText {
  const [open, close] = brackets === '[]' ? ['[', ']'] : ['{"a":', '}']
  return new JsonText(`${open.repeat(depth)}1${close.repeat(depth)}`)
}

/** Writes fields as JSON, with texts of `JsonText` as they are. */
export function toJson(fields: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `${JSON.stringify(name)}:${value instanceof JsonText ? value.text : JSON.stringify(value)}`,
  )
  return `{${parts.join(',')}}`
}
