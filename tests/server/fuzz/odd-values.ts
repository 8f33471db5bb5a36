import type { RandomSource } from '#support/random-source.ts'

/** Texts that parsers, databases and the typesetting of PDFs may treat differently. */
export const oddTexts: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00\ud800',
  '\u202egnp.exe',
  '\ufeff',
  'e\u0301',
  '\u00e9',
  '\u200b'.repeat(40),
  `Z${'\u0301'.repeat(300)}`,
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  "' or '1'='1",
  '${7*7}{{7*7}}',
  '<script>',
  '../../etc/passwd',
  '%00',
  '__proto__',
  'constructor',
  'toString',
  '2026-02-30',
  '+999999-01-01T00:00:00Z',
  '9'.repeat(400),
  'x'.repeat(20_000),
]

export const oddNumbers: readonly number[] = [0, -1, 0.5, 1e308, 2 ** 31, 2 ** 53, -(2 ** 63), 1e-320]

/** Returns a value of any JSON type. Some values are deeply nested. */
export function oddValue(random: RandomSource): unknown {
  switch (random.below(8)) {
    case 0:
      return random.pick(oddTexts)
    case 1:
      return random.pick(oddNumbers)
    case 2:
      return random.pick([null, true, false])
    case 3:
      return Array.from({ length: random.pick([0, 1, 5_000]) }, () => 'a')
    case 4:
      return JSON.parse(nested(random.pick([3, 40, 2_000])))
    case 5:
      // In a literal, the name would set the prototype, and JSON would lack it.
      return JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"length":-1}')
    case 6:
      return { toString: 'x', valueOf: 1, hasOwnProperty: 'y' }
    default:
      return [[], {}, [null]]
  }
}

export const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

export const encode = (text: string) => encodeURIComponent(text.toWellFormed())
