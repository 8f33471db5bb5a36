import { posix } from 'node:path'
import { blankLiterals, readLiterals } from './source-text.mjs'
import type { SourceFile } from './source-tree.ts'

export interface Import {
  specifier: string
  /** `import type { … }`, which does not exist at run time. */
  typeOnly: boolean
  /** `import('…')`, loaded on demand. */
  dynamic: boolean
  /** The imported file, from the root; undefined for a package. */
  file: string | undefined
  line: number
}

// Mirrors "imports" of package.json.
const PORTAL_FOLDERS = [
  'contract',
  'device',
  'store',
  'api',
  'session',
  'sync',
  'i18n',
  'ui',
  'summary',
  'shell',
  'screens',
  'app',
  'sign-in',
  'case-file',
]
const ALIASES = new Map([
  ...PORTAL_FOLDERS.map(folder => [`#${folder}`, `src/${folder}`] as const),
  ['#server', 'server'],
  ['#support', 'tests/support'],
])

// The code before the quote of a specifier: a static import, an import for its side effects, or a dynamic import.
const BEFORE_SPECIFIER = /(?:\bfrom\s*|(?<![.\w$])import\s*|(?<![.\w$])import\s*\(\s*)$/
const TYPE_ONLY = /^(?:import|export)\s+type\b[^;'"`]*$/
const STATEMENT_START = /(?<![.\w$])(?:import|export)(?![\w$])/g

/** Returns everything that a file imports or re-exports. */
export function readImports(file: SourceFile): Import[] {
  const code = blankLiterals(file.text)
  return readLiterals(file.text)
    .filter(literal => BEFORE_SPECIFIER.test(code.slice(Math.max(0, literal.start - 60), literal.start)))
    .map(literal => ({
      specifier: literal.text,
      typeOnly: TYPE_ONLY.test(lastStatement(code.slice(0, literal.start))),
      dynamic: /\(\s*$/.test(code.slice(0, literal.start)),
      file: resolveImport(file.path, literal.text),
      line: file.text.slice(0, literal.start).split('\n').length,
    }))
}

function lastStatement(code: string): string {
  const last = [...code.matchAll(STATEMENT_START)].at(-1)
  return code.slice(last?.index ?? 0)
}

function resolveImport(from: string, specifier: string): string | undefined {
  const path = specifier.replace(/\?[\w&=]+$/, '')
  if (path.startsWith('.')) return posix.join(posix.dirname(from), path)
  const [alias = '', ...rest] = path.split('/')
  const folder = ALIASES.get(alias)
  return folder === undefined ? undefined : posix.join(folder, ...rest)
}
