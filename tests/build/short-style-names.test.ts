import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { nameStyle } from '#server/build/short-style-names.ts'

const source = fileURLToPath(new URL('../../src/', import.meta.url))
const sheets = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(file =>
  file.endsWith('.module.css'),
)

describe('the names of the classes in the style sheet (F14)', () => {
  it('consist of the rule and the file, and have neither a hash nor the number of a line', () => {
    expect(nameStyle('primary', '/portal/src/ui/button.module.css')).toBe('_primary_button')
  })

  it('are different in all style sheets, because no two sheets have the same name', () => {
    const names = sheets.map(sheet => basename(sheet))
    expect(names.length).toBeGreaterThan(40)
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
    // Else `.x_a` of b.module.css and `.x` of a_b.module.css would have one name.
    expect(names.filter(name => name.includes('_'))).toEqual([])
  })
})
