import { describe, expect, it } from 'vitest'
import { whenToCache } from '#server/build/chunks.ts'
import { partToCache } from '../../sw/messages.ts'

describe('the files that the service worker caches', () => {
  it.each(['index.html', 'assets/start-CU7KAXuW.js', 'assets/sign-in-CxB322l0.js', 'assets/fr-CwsuuiIu.js'])(
    'include %s at the install (OFF02)',
    file => expect(whenToCache(file)).toBeUndefined(),
  )

  it.each([
    ['assets/form-Bv7Wtm_O.js', 'form'],
    ['assets/fr-rest-BzduBZUl.js', 'form'],
    ['assets/help-BzduBZUl.js', 'form'],
    ['assets/fr-legal-BzduBZUl.js', 'form'],
    ['assets/en-legal-BzduBZUl.js', 'en'],
    ['assets/later-BzduBZUl.js', 'later'],
    ['assets/en-CRPb-Woc.js', 'en'],
    ['assets/qr-code-DG02vv47.js', 'later'],
  ])('include %s, in a part that the page asks for after a sign-in (OFF05)', (file, part) =>
    expect(whenToCache(file)).toEqual({ part }),
  )

  it.each([
    ['assets/router-CU7KAXuW.js', 'router'],
    ['assets/verify-vJvc1urL.js', 'verify'],
    ['assets/fr-verify-CwsuuiIu.js', 'verify'],
    ['assets/en-verify-CwsuuiIu.js', 'verify'],
    ['assets/tools-CwsuuiIu.js', 'tools'],
    ['assets/fr-tools-CwsuuiIu.js', 'tools'],
    ['assets/en-tools-CwsuuiIu.js', 'tools'],
  ])('include %s, in a part that the page asks for at its first use (D35)', (file, part) =>
    expect(whenToCache(file)).toEqual({ part }),
  )

  it('never include the captcha, which works online only', () => {
    for (const file of ['assets/captcha-box-CkwRX75P.js', 'assets/proof-of-work-CkwRX75P.js'])
      expect(whenToCache(file)).toBe('never')
  })

  it('include a part only for a valid KEEP message', () => {
    expect(partToCache({ type: 'KEEP', part: 'form' })).toBe('form')
    for (const data of [undefined, 'KEEP', { type: 'KEEP' }, { type: 'KEEP', part: 'all' }])
      expect(partToCache(data)).toBeUndefined()
  })
})
