import { describe, expect, it } from 'vitest'
import { neededStyles } from '#server/build/needed-styles.ts'

describe('neededStyles', () => {
  it('keeps a selector whole when it has a comma inside nested parentheses', () => {
    const sheet = ':is(.a,.b:not(.c)) p,h1{color:red}.d{color:blue}'
    // A later state of the page may match `:is(…)`, so `p` alone decides.
    expect(neededStyles(sheet, ['<p>'])).toBe(':is(.a,.b:not(.c)) p{color:red}')
  })
})
