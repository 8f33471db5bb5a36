import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { applyMutant, listMutants } from '../mutants/mutate.mjs'
import { survivors } from '../mutants/survivors.mjs'
import { targets } from '../mutants/targets.mjs'
import { readText } from './source-tree.ts'

describe('the mutants of a source', () => {
  it.each([
    ['const a = b < 1', ['const a = b <= 1', 'const a = b >= 1', 'const a = b < 2']],
    ['if (a) b()', ['if (true) b()', 'if (false) b()']],
    ['const a = b && c', ['const a = b || c']],
    ["const a = 'x'", ["const a = ''"]],
    ['const a = !b', ['const a = (b)']],
    ['const a = [b]', ['const a = []']],
    ['const a = b?.c', ['const a = b.c']],
    [
      'const a = () => b > c',
      [
        'const a = () => undefined',
        'const a = () => true',
        'const a = () => false',
        'const a = () => b >= c',
        'const a = () => b <= c',
      ],
    ],
    ['const a = b.filter(c)', ['const a = b']],
    ['const a = /^b+$/', ['const a = /b+$/', 'const a = /^b+/', 'const a = /^b$/']],
    ["import { a } from 'b'", []],
    ["type A = 'a' | 'b'", []],
    ["const a = b as 'x' | 'y'", []],
  ])('%s', (text, expected) => {
    const mutated = listMutants('a.ts', text).map(mutant => applyMutant(text, mutant))
    expect(mutated.toSorted()).toEqual(expected.toSorted())
  })

  it('leave out the functions that are named', () => {
    const text = 'function a() { return 1 }\nfunction b() { return 2 }'
    expect(listMutants('a.ts', text, ['a']).map(({ line }) => line)).toEqual([2, 2])
  })
})

describe('the list of mutated files (D130)', () => {
  it.each(targets.map(target => [target.path, target] as const))('%s has its tests', (path, target) => {
    for (const file of [path, ...target.tests]) expect(existsSync(file), file).toBe(true)
    expect(target.why).not.toBe('')
    for (const name of target.without ?? []) expect(readText(path)).toContain(`function ${name}(`)
  })

  it('contains the file of each survivor, which has the line that is named', () => {
    const paths = targets.map(({ path }) => path)
    for (const [path, reasons] of Object.entries(survivors)) {
      expect(paths).toContain(path)
      for (const { line, why } of reasons) {
        expect(readText(path)).toContain(line)
        expect(why).not.toBe('')
      }
    }
  })
})
