import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './source-tree.ts'

/** Returns the cells of each row of the tables under the heading, or of all tables, without the rows of column names. */
export function readRows(markdown: string, heading?: string): string[][] {
  return readSection(markdown, heading)
    .split('\n')
    .filter(
      (line, index, lines) =>
        line.startsWith('|') && !line.startsWith('|---') && !lines[index + 1]?.startsWith('|---'),
    )
    .map(line =>
      line
        .slice(1, -1)
        .split('|')
        .map(cell => cell.trim()),
    )
}

/** Returns what follows a heading of the second level, up to the next one. */
function readSection(markdown: string, heading?: string): string {
  if (heading === undefined) return markdown
  const [, section = ''] = markdown.split(`\n## ${heading}\n`)
  return section.split('\n## ')[0] ?? ''
}

/** Returns the paths between backticks in a text: words with a slash between them, or the name of a document. */
export function readPaths(text: string): string[] {
  return [...text.matchAll(/`([\w.-]+(?:\/[\w@.-]+)+|\w+\.md)`/g)].map(([, path = '']) => path)
}

export function exists(path: string): boolean {
  return existsSync(join(projectRoot, path))
}
