import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface SourceFile {
  /** From the project root, with forward slashes: `src/store/drafts.ts`. */
  path: string
  text: string
}

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url))

/** Reads the TypeScript files of the named folders, without declaration files. */
export function readSources(...folders: string[]): SourceFile[] {
  return folders.flatMap(folder =>
    listFiles(folder)
      .filter(path => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
      .map(path => ({ path, text: readFileSync(join(projectRoot, path), 'utf8') })),
  )
}

/** Returns the paths of all files under a folder, from the root, sorted. */
export function listFiles(folder: string): string[] {
  return readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(projectRoot, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .toSorted()
}

/** Returns the names of the direct subfolders, sorted. */
export function listFolders(folder: string): string[] {
  return readdirSync(join(projectRoot, folder), { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
    .toSorted()
}

export function readText(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8')
}
