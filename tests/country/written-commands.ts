import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './processes.ts'

const text = readFileSync(join(root, 'docs/deploy.md'), 'utf8')

/**
 * Returns the code block of docs/deploy.md that begins after these words, to the letter. Each replacement is of something
 * that the document tells the reader to set.
 *
 * @throws when there is no such block, or a text to replace is not in it.
 */
export function writtenCommands(after: string, replacements: Record<string, string> = {}): string {
  const [, rest] = text.split(after, 2)
  const block = /^```\w*\n([^]*?)^```$/m.exec(rest ?? '')?.[1]
  if (block === undefined) throw new Error(`docs/deploy.md has no code block after "${after}"`)
  return Object.entries(replacements).reduce((commands, [written, set]) => {
    if (!commands.includes(written)) throw new Error(`The block after "${after}" does not have "${written}"`)
    return commands.replaceAll(written, set)
  }, block)
}
