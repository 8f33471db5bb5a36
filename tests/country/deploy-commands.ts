import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './processes.ts'

const text = readFileSync(join(root, 'docs/deploy.md'), 'utf8')

/**
 * Returns the first code block of docs/deploy.md after these words, to the letter but for the replacements. Each replacement is
 * of something that the document tells the reader to set.
 *
 * @throws when there is no such block, or a text to replace is not in it.
 */
export function deployCommands(after: string, replacements: Record<string, string> = {}): string {
  const start = text.indexOf(after)
  const block = start < 0 ? undefined : /^```\w*\n([^]*?)^```$/m.exec(text.slice(start + after.length))?.[1]
  if (block === undefined) throw new Error(`docs/deploy.md has no code block after "${after}"`)
  return Object.entries(replacements).reduce((commands, [shown, set]) => {
    if (!commands.includes(shown)) throw new Error(`The block after "${after}" does not have "${shown}"`)
    return commands.replaceAll(shown, set)
  }, block)
}
