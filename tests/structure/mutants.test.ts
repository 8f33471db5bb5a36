import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { listImportedFiles } from '../mutants/imported-files.mjs'
import { applyMutant, listMutants } from '../mutants/mutate.mjs'
import { describeReport, explain } from '../mutants/report.mjs'
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
    [
      "const a = sql`select '=' from b where c = 1 and d is null`",
      [
        "const a = sql`select '=' from b where c <> 1 and d is null`",
        "const a = sql`select '=' from b where c = 1 or d is null`",
        "const a = sql`select '=' from b where c = 1 and d is not null`",
      ],
    ],
    [
      'const a = sql`update b set c = 1 from d where not exists (select from e where f between 1 and 2)`',
      ['const a = sql`update b set c = 1 from d where exists (select from e where f between 1 and 2)`'],
    ],
    ['const a = sql`select from b where c > now()`', ['const a = sql`select from b where c <= now()`']],
    [
      "const a = b.selectFrom('c').select('d').where('e', '=', f)",
      [
        "const a = b.selectFrom('c').select('d')",
        "const a = b.selectFrom('c').select('d').where('e', '<>', f)",
      ],
    ],
    ["import { a } from 'b'", []],
    ["type A = 'a' | 'b'", []],
    ["const a = b as 'x' | 'y'", []],
  ])('are all changes of one place: %s', (text, expected) => {
    const mutated = listMutants('a.ts', text).map(mutant => applyMutant(text, mutant))
    expect(mutated.toSorted()).toEqual(expected.toSorted())
  })

  it('leave out the functions in `without`, or all but those in `only`', () => {
    const text = 'function a() { return 1 }\nfunction b() { return 2 }'
    expect(listMutants('a.ts', text, { without: ['a'] }).map(({ line }) => line)).toEqual([2, 2])
    expect(listMutants('a.ts', text, { only: ['a'] }).map(({ line }) => line)).toEqual([1, 1])
  })
})

describe('the list of mutated files (D130)', () => {
  it.each(targets.map(target => [target.path, target] as const))('%s has its tests', (path, target) => {
    for (const file of [path, ...target.tests]) expect(existsSync(file), file).toBe(true)
    expect(target.why).not.toBe('')
    for (const name of [...(target.without ?? []), ...(target.only ?? [])])
      expect(readText(path)).toContain(`function ${name}(`)
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

describe('a run of the mutants (D130)', () => {
  it('depends on the tests and on all that they import, also through others', () => {
    const files = listImportedFiles(['tests/server/appointments/reserve.test.ts'])
    expect(files).toEqual(
      expect.arrayContaining([
        'tests/server/appointments/reserve.test.ts',
        'tests/server/appointments/booking-fixture.ts',
        'server/features/appointments/hold-place.ts',
        'server/features/appointments/hold-rule.ts',
        'src/contract/states.ts',
      ]),
    )
    for (const file of files) expect(existsSync(file), file).toBe(true)
  })

  it('names what killed a mutant when no expectation failed', () => {
    const mutant = { line: 1, from: '+=', to: '-=' }
    const report = (killed: object) =>
      describeReport([explain({ path: 'src/contract/states.ts', mutants: [{ ...mutant, ...killed }] })])
    expect(report({ killer: 'no end in 60 s', isByLimit: true })).toContain(
      '| src/contract/states.ts:1 `+=` | `-=` | no end in 60 s |',
    )
    expect(report({ killer: 'a test', isByLimit: false })).not.toContain('src/contract/states.ts:1')
  })
})
