import { describe, expect, it } from 'vitest'
import { unusedPlaceholder } from '#server/build/chunks.ts'
import { partToCache } from '../../sw/messages.ts'

describe('what the worker keeps, and when', () => {
  it.each([
    'index.html',
    'assets/start-CU7KAXuW.js',
    'assets/sign-in-CxB322l0.js',
    'assets/verify-vJvc1urL.js',
    'assets/fr-CwsuuiIu.js',
  ])('OFF02 %s at once', file => expect(unusedPlaceholder(file)).toBeUndefined())

  it.each([
    ['assets/form-Bv7Wtm_O.js', 'form'],
    ['assets/later-BzduBZUl.js', 'later'],
    ['assets/en-CRPb-Woc.js', 'en'],
    ['assets/qr-code-DG02vv47.js', 'later'],
  ])('OFF05 %s once somebody signed in', (file, part) => expect(unusedPlaceholder(file)).toEqual({ part }))

  it('the captcha never: without the line there is nothing to prove', () => {
    for (const file of ['assets/captcha-box-CkwRX75P.js', 'assets/proof-of-work-CkwRX75P.js'])
      expect(unusedPlaceholder(file)).toBe('never')
  })

  it('asks for nothing that it was not told', () => {
    expect(partToCache({ type: 'KEEP', part: 'form' })).toBe('form')
    for (const data of [undefined, 'KEEP', { type: 'KEEP' }, { type: 'KEEP', part: 'all' }])
      expect(partToCache(data)).toBeUndefined()
  })
})
