import { describe, expect, it } from 'vitest'
import { readImports } from './imports.ts'
import { readSources, type SourceFile } from './source-tree.ts'

/** The files that `entry` loads when it starts: everything that is imported, but not on demand. */
function loadedBy(entry: string): Set<string> {
  const files = new Map<string, SourceFile>(
    readSources('src/contract', 'server').map(file => [file.path, file]),
  )
  const loaded = new Set<string>()
  const open = [entry]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const file = files.get(path)
    if (file === undefined || loaded.has(path)) continue
    loaded.add(path)
    for (const { file: imported, typeOnly, dynamic } of readImports(file))
      if (imported !== undefined && !typeOnly && !dynamic) open.push(imported)
  }
  return loaded
}

describe('the code of the demonstration', () => {
  it('is not loaded when the server or the command of operators starts', () => {
    for (const entry of ['server/start/main.ts', 'server/cli/cli.ts']) {
      const loaded = loadedBy(entry)
      expect(loaded.size, entry).toBeGreaterThan(50)
      expect([...loaded].filter(path => path.includes('/simulators/'))).toEqual([])
    }
  })
})
