import { blankLiterals, findClosing, readLiterals } from './source-text.mjs'

export interface Route {
  path: string
  /** Whether the route or one of its parents has a guard: every `beforeLoad` counts, also one that only loads messages. */
  guarded: boolean
  line: number
}

// The router's `beforeLoad`, or a column `guard` in a table of routes. A value such as `undefined` or 'open' is none.
const GUARD = /\b(?:beforeLoad|guard)\b(?!\s*:\s*(?:undefined|null|false|'open'|'none'))/
const PARENT = /getParentRoute:\s*\(\)\s*=>\s*(\w+)/

/**
 * Reads the routes from the text of src/app/routes.tsx: each `path: '…'`, joined with the path of its parent
 * (`getParentRoute`).
 */
export function readRoutes(text: string): Route[] {
  const code = blankLiterals(text)
  return readLiterals(text)
    .filter(literal => /(?<![\w$])path:\s*$/.test(code.slice(0, literal.start)))
    .map(literal => {
      const entry = findEntry(text, code, literal.start)
      const parents = findParents(text, code, entry)
      const paths = [...parents.toReversed().map(readPath), literal.text]
      return {
        path: `/${paths
          .flatMap(path => path.split('/'))
          .filter(Boolean)
          .join('/')}`,
        guarded: [entry, ...parents].some(each => GUARD.test(withoutRoot(each))),
        line: text.slice(0, literal.start).split('\n').length,
      }
    })
}

/** Whether two paths are equal, ignoring the names of parameters and whether a parameter is optional. */
export function sameRoute(one: string, other: string): boolean {
  return normalise(one) === normalise(other)
}

/** Returns two paths when the last part is an optional parameter (`{-$appointmentId}`), otherwise the path itself. */
export function expandOptional(path: string): string[] {
  const optional = /\/\{-\$\w+\}$/
  return optional.test(path) ? [path.replace(optional, ''), path] : [path]
}

// Returns the object literal around an offset, with its braces.
function findEntry(text: string, code: string, offset: number): string {
  let depth = 0
  for (let at = offset; at >= 0; at -= 1) {
    if (code[at] === '}') depth += 1
    if (code[at] === '{' && depth === 0) return text.slice(at, findClosing(code, at) + 1)
    if (code[at] === '{') depth -= 1
  }
  return ''
}

// Returns the parents, nearest first. The search ends at a name that it has met, because the text may name a circle.
function findParents(text: string, code: string, entry: string, met: string[] = []): string[] {
  const name = PARENT.exec(entry)?.[1]
  const declared = new RegExp(`\\bconst\\s+${name}\\s*=[^{]*\\{`).exec(code)
  if (name === undefined || declared === null || met.includes(name)) return []
  const open = declared.index + declared[0].length - 1
  const parent = text.slice(declared.index, findClosing(code, open) + 1)
  return [parent, ...findParents(text, code, parent, [...met, name])]
}

function readPath(entry: string): string {
  return /(?<![\w$])path:\s*['"`]([^'"`]*)['"`]/.exec(entry)?.[1] ?? ''
}

// A `beforeLoad` of the root also runs for the sign-in pages, so it is not a guard.
function withoutRoot(entry: string): string {
  return /createRootRoute/.test(entry) ? '' : entry
}

function normalise(path: string): string {
  return `/${path
    .split('/')
    .filter(Boolean)
    .map(part => (/^\{?-?\$\w+\}?$/.test(part) ? '$' : part))
    .join('/')}`
}
