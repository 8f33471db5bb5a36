import { blankLiterals } from './source-text.mjs'
import type { SourceFile } from './source-tree.ts'

// Names without a subject, which would collect unrelated code.
const EMPTY_NAMES = new Set([
  'utils',
  'util',
  'helpers',
  'helper',
  'misc',
  'common',
  'hooks',
  'types',
  'constants',
])

/** Returns a line for each path with a name that states no subject, and for each source file that is not in kebab-case. */
export function findNameFaults(paths: string[]): string[] {
  return paths.flatMap(path => {
    const names = path.split('/').map(part => part.replace(/\..*$/, ''))
    const empty = names.find(name => EMPTY_NAMES.has(name) || /-(?:utils?|helpers?)$/.test(name))
    if (empty !== undefined)
      return [`${path}: '${empty}' states no subject; name the file after its subject, or split it`]
    const last = path.split('/').at(-1) ?? ''
    const isSourceFile = /\.(?:tsx?|mjs|mts|css|json)$/.test(last)
    return isSourceFile && !/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)*$/.test(last)
      ? [`${path}: file names are kebab-case`]
      : []
  })
}

/** Returns the barrels: files that only re-export. */
export function findBarrels(files: SourceFile[]): string[] {
  return files
    .filter(isBarrel)
    .map(file => `${file.path}: only re-exports; import from the file that defines the name`)
}

/**
 * Returns one line with the position for each `export default`, `enum` and `any`. Only oxlint finds an `any` after a comma,
 * as in `Map<string, any>`.
 */
export function findForbiddenSyntax(files: SourceFile[]): string[] {
  return files.flatMap(file => [
    ...findEach(file, /\bexport\s+default\b|\bas\s+default\b/g, 'export by name'),
    ...findEach(
      file,
      /(?<![.\w$])(?:const\s+)?enum\s+[A-Z]\w*\s*\{/g,
      "use a closed list of strings with 'satisfies'",
    ),
    ...findEach(
      file,
      /(?::\s*|\bas\s+|<\s*|[|&]\s*|\bextends\s+|\breadonly\s+)any\b(?!\s*[:(.])/g,
      "write the type, or 'unknown' and narrow it",
    ),
  ])
}

/** Returns the calls of fetch, XMLHttpRequest and sendBeacon in src, outside src/api/client.ts. */
export function findFetchFaults(files: SourceFile[]): string[] {
  return files
    .filter(file => file.path.startsWith('src/') && file.path !== 'src/api/client.ts')
    .flatMap(file =>
      findEach(
        file,
        /(?:(?<![.\w$])|\b(?:window|globalThis|self)\.)fetch\s*\(|\bnew\s+XMLHttpRequest\b|\.sendBeacon\s*\(/g,
        'only src/api/client.ts may call fetch; add an endpoint and call it',
      ),
    )
}

/** Returns the query keys of TanStack Query that a file writes again as text instead of taking them from `queries`. */
export function findKeyFaults(files: SourceFile[]): string[] {
  return files.flatMap(file =>
    findEach(
      file,
      /\b(?:(?:invalidate|refetch|remove|reset|cancel)Queries|[gs]et(?:Query|Queries)(?:Data|State))(?:<[^(]*>)?\(\s*(?:\{\s*queryKey:\s*)?\[\s*['"`]/g,
      'take the key from the query or from `queries.keyOf()`, so that a renamed key cannot be missed',
    ),
  )
}

export interface EffectCount {
  effects: number
  allowed: number
  places: string[]
}

/** Counts the effects and their limit: 1.5 for each 1,000 lines, at least 6. */
export function countEffects(files: SourceFile[]): EffectCount {
  const places = files.flatMap(file =>
    findEach(file, /(?<![\w$])use(?:Layout|Insertion)?Effect\s*\(/g, 'an effect'),
  )
  const lines = files.reduce((total, file) => total + file.text.split('\n').length, 0)
  return { effects: places.length, allowed: Math.max(6, Math.ceil((lines / 1000) * 1.5)), places }
}

/** Returns the folders that the map of the README does not name. */
export function findUnmappedFolders(folders: string[], readme: string): string[] {
  return folders
    .filter(folder => !new RegExp(`(?<![\\w-])${folder.split('/').at(-1)}/?(?![\\w-])`).test(readMap(readme)))
    .map(folder => `${folder}: add a line '${folder.split('/').at(-1)}/ …' to the map in README.md`)
}

// The map is the code block with the folder tree; it names src/ and server/.
function readMap(readme: string): string {
  return readme
    .split(/^```.*$/m)
    .filter((block, index) => index % 2 === 1 && /\bsrc\//.test(block))
    .join('\n')
}

function isBarrel(file: SourceFile): boolean {
  const statements = blankLiterals(file.text)
    .replaceAll(/(['"]) *\1/g, "''")
    .replaceAll(/\bexport\s+(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\{[^}]*\})\s*from\s*''\s*;?/g, '§')
    .replaceAll(/\bimport\b[^;']*''\s*;?/g, '')
    .trim()
  return statements.includes('§') && statements.replaceAll(/[§\s]/g, '') === ''
}

function findEach(file: SourceFile, pattern: RegExp, advice: string): string[] {
  const code = blankLiterals(file.text)
  return [...code.matchAll(pattern)].map(match => {
    const line = code.slice(0, match.index).split('\n').length
    return `${file.path}:${line} has '${match[0].trim()}': ${advice}`
  })
}
