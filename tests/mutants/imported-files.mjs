/** The files that a set of tests depends on: a change in one of them may change which mutants the tests notice. */
import { readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const root = join(import.meta.dirname, '../..')
const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/**
 * Returns these files and all files of this repository that they import, directly or through others, sorted. Leaves
 * out packages, and what a test reads without an import.
 */
export function listImportedFiles(files) {
  const found = new Set()
  const waiting = [...files]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue
    found.add(file)
    waiting.push(...importsOf(file))
  }
  return [...found].sort((one, other) => (one < other ? -1 : 1))
}

function importsOf(file) {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)]
    .map(([, specifier]) => resolve(file, specifier.split('?')[0]))
    .filter(path => path !== undefined && statSync(join(root, path), { throwIfNoEntry: false })?.isFile())
}

/** Returns the path in this repository; undefined for a package. */
function resolve(file, specifier) {
  if (specifier.startsWith('.')) return relative(root, join(root, dirname(file), specifier))
  const prefix = Object.keys(imports).find(each => specifier.startsWith(each.replace('*', '')))
  return prefix && imports[prefix].replace('./', '').replace('*', specifier.slice(prefix.length - 1))
}
