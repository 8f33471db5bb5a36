import { parse, TYPE } from '@formatjs/icu-messageformat-parser'
import { blankLiterals, readLiterals } from './source-text.mjs'
import type { SourceFile } from './source-tree.ts'

export type Catalogue = Record<string, string>

interface MessagePart {
  type: TYPE
  value?: string
  options?: Record<string, { value: MessagePart[] }>
  children?: MessagePart[]
}

// The code before a literal key: formatMessage({ id: '…' }), <FormattedMessage id="…">, t('…').
const NAMING =
  /(?:\bformatMessage\s*\(\s*\{\s*id:\s*|<FormattedMessage\s[^<>]*?\bid=\{?\s*|(?<![\w$])t\(\s*)$/

/**
 * Flattens a catalogue, whether it is written with dotted keys or with nested objects.
 * @throws TypeError when a value is neither a text nor an object
 */
export function flattenCatalogue(value: unknown, prefix = ''): Catalogue {
  if (typeof value === 'string') return { [prefix]: value }
  if (typeof value !== 'object' || value === null) throw new TypeError(`${prefix}: a message is a text`)
  const entries = Object.entries(value).map(([key, inner]) =>
    flattenCatalogue(inner, prefix === '' ? key : `${prefix}.${key}`),
  )
  return Object.assign({}, ...entries)
}

/**
 * Returns the top-level keys that a JSON text, indented by two spaces, contains more than once. JSON.parse would silently use
 * the last value.
 */
export function findDoubleKeys(json: string): string[] {
  const keys = [...json.matchAll(/^ {2}"((?:[^"\\]|\\.)+)"\s*:/gm)].map(match => match[1] ?? '')
  return [...new Set(keys.filter((key, index) => keys.indexOf(key) !== index))]
}

/** Returns one line for each key that only one of the catalogues has. */
export function findLoneKeys(french: Catalogue, english: Catalogue): string[] {
  return [
    ...Object.keys(english)
      .filter(key => !(key in french))
      .map(key => `${key}: write it in fr.json`),
    ...Object.keys(french)
      .filter(key => !(key in english))
      .map(key => `${key}: write it in en.json, or delete it from fr.json`),
  ]
}

/** Returns one line for each pair with an empty message, a syntax error or different placeholders. */
export function findMessageFaults(french: Catalogue, english: Catalogue): string[] {
  return Object.keys(english)
    .filter(key => key in french)
    .flatMap(key => {
      const pair = [french[key] ?? '', english[key] ?? ''] as const
      if (pair.some(message => message.trim() === '')) return [`${key}: is empty`]
      try {
        const [inFrench, inEnglish] = pair.map(message => readPlaceholders(message).join(', '))
        if (inFrench === inEnglish) return []
        return [`${key}: fr.json takes (${inFrench}), en.json takes (${inEnglish}); give both the same`]
      } catch (error) {
        return [`${key}: cannot be read (${String(error)})`]
      }
    })
}

/**
 * Returns the placeholders of a message, sorted: `count`, `kind:select(card,mobile,other)`, `<strong>`.
 * @throws SyntaxError when the message cannot be parsed
 */
export function readPlaceholders(message: string): string[] {
  const parts: MessagePart[] = parse(message)
  return [...new Set(parts.flatMap(describePart))].toSorted()
}

/** Returns one line for each key with the same words in both languages that are not in the list of equal texts. */
export function findUntranslated(french: Catalogue, english: Catalogue, same: readonly string[]): string[] {
  return Object.entries(english)
    .filter(([key, message]) => french[key] === message && !same.includes(message) && hasWords(message))
    .map(
      ([key, message]) =>
        `${key}: '${message}' in both languages; translate it, or add it to the list of equal texts`,
    )
}

/** Returns one line for each key that no source names, neither as a literal nor through a template with a listed prefix. */
export function findUnusedKeys(keys: string[], sources: SourceFile[], prefixes: readonly string[]): string[] {
  const literals = sources.flatMap(file => readLiterals(file.text))
  const named = new Set(literals.filter(literal => literal.chunks.length === 1).map(literal => literal.text))
  const begun = new Set(
    literals.filter(literal => literal.chunks.length > 1).map(literal => literal.chunks[0] ?? ''),
  )
  const live = prefixes.filter(prefix => begun.has(prefix))
  return keys
    .filter(key => !named.has(key) && !live.some(prefix => key.startsWith(prefix)))
    .map(
      key =>
        `${key}: no code uses it; delete it from both catalogues, or list its prefix in messages.test.ts`,
    )
}

/**
 * Returns one line for each place that uses a key that the catalogue lacks, or builds one from a prefix that is not listed or
 * begins no key.
 */
export function findUnknownKeys(
  keys: string[],
  sources: SourceFile[],
  prefixes: readonly string[],
): string[] {
  const known = new Set(keys)
  return sources.flatMap(file => {
    const code = blankLiterals(file.text)
    return readLiterals(file.text)
      .filter(literal => NAMING.test(code.slice(Math.max(0, literal.start - 400), literal.start)))
      .flatMap(literal => {
        const place = `${file.path}:${file.text.slice(0, literal.start).split('\n').length}`
        if (literal.chunks.length === 1) {
          return known.has(literal.text) ? [] : [`${place} uses '${literal.text}'; add it to both catalogues`]
        }
        const prefix = literal.chunks[0] ?? ''
        if (!prefixes.includes(prefix))
          return [`${place} builds a key from '${prefix}'; list that prefix in messages.test.ts`]
        if (keys.some(key => key.startsWith(prefix))) return []
        return [`${place} builds a key from '${prefix}', and no key begins so`]
      })
  })
}

function describePart(part: MessagePart): string[] {
  if (part.type === TYPE.literal || part.value === undefined) return []
  const options = Object.entries(part.options ?? {})
  const inside = [...options.flatMap(([, option]) => option.value), ...(part.children ?? [])].flatMap(
    describePart,
  )
  if (part.type === TYPE.tag) return [`<${part.value}>`, ...inside]
  const names = options.map(([name]) => name).toSorted()
  return [part.type === TYPE.select ? `${part.value}:select(${names.join(',')})` : part.value, ...inside]
}

// Texts of digits, signs and placeholders need no translation.
function hasWords(message: string): boolean {
  return /\p{L}{2}/u.test(message.replaceAll(/\{[^{}]*\}|<\/?\w+>/g, ''))
}
