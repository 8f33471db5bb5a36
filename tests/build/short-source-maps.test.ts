import { SourceMap } from 'node:module'
import { transformWithOxc } from 'vite'
import { describe, expect, it } from 'vitest'
import { shortenMap } from '#server/build/short-source-maps.ts'

const source = `
export function book(places: number[], wanted: number): string {
  const free = places
    .filter(place => place > wanted)
    .map(place => place * 2)
  if (free.length === 0) throw new Error('full')
  return free.join(', ')
}
`

/** For each position of the built code: its line in the source, from 0; undefined where the map names none. */
function linesIn(map: string, code: string): (number | undefined)[] {
  const read = new SourceMap(JSON.parse(map))
  return code
    .split('\n')
    .flatMap((text, line) => Array.from(text, (_, column) => lineOf(read.findEntry(line, column))))
}

function lineOf(entry: object): number | undefined {
  return 'originalLine' in entry ? Number(entry.originalLine) : undefined
}

describe('a source map of the server (D93)', () => {
  it('names the line of each position, and no text of the sources', async () => {
    const { code, map } = await transformWithOxc(source, 'book.ts', { sourcemap: true })
    const whole = JSON.stringify(map)
    const short = shortenMap(whole)
    expect(linesIn(short, code)).toEqual(linesIn(whole, code))
    expect(new Set(linesIn(short, code)).size).toBeGreaterThan(5)
    expect(short.length).toBeLessThan(whole.length / 3)
    expect(JSON.parse(short)).toMatchObject({ sources: ['book.ts'], names: [] })
    expect(short).not.toContain('full')
  })
})
