import { runInNewContext } from 'node:vm'
import { parseAst } from 'vite'
import { describe, expect, it } from 'vitest'
import { rewriteIn } from '#server/build/static-blocks.ts'

describe('rewriteIn, for static blocks of classes (D66)', () => {
  it.each([
    ['sees the class as this', 'class A { static { this.x = 1 } } A.x', 1],
    ['sees private fields', 'class A { static #y = 2; static { A.z = this.#y } } A.z', 2],
    [
      'keeps the order of two blocks',
      'let a = ""; class A { static { a += "1" } static { a += "2" } } a',
      '12',
    ],
    [
      'has no static block in an inner class either',
      'let a; class A { static { a = class { static { this.b = 3 } } } } a.b',
      3,
    ],
    ['keeps a string', 'class A { static { this.x = "static {" } } A.x', 'static {'],
  ])('makes a class without static blocks that %s', (_, code, result) => {
    const rewritten = rewriteIn(code)
    expect(JSON.stringify(parseAst(rewritten))).not.toContain('"StaticBlock"')
    expect(runInNewContext(rewritten)).toBe(result)
  })
})
