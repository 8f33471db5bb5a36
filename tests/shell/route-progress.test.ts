import { describe, expect, it } from 'vitest'
import { mayOfferUpdate, progressAt } from '#shell/route-progress.ts'

describe('progressAt', () => {
  it.each([
    ['/', 0, 1],
    ['/mobile', 0, 1],
    ['/mail', 0, 1],
    ['/password', 0, 1],
    ['/form/a/n/NicData', 1, 2],
    ['/confirm/a/n', 2, 3],
    ['/payment/a/n', 3, 4],
    ['/cardPayment', 3, 4],
    ['/payOtp/a/n/p', 3, 4],
    ['/payResult/a/n/p', 3, 4],
    ['/appointment/a/n', 4, 5],
    ['/appointment/a/n/x', 4, 5],
    ['/schedule/a/n/x', 4, 5],
  ])(
    'for %s returns the number of finished steps, %i, and the current step, %i (NAV15, NAV16, S22)',
    (pathname, finished, current) => {
      expect(progressAt(pathname)).toEqual({ finished, current })
    },
  )

  it.each(['/procedure', '/verify', '/nowhere/at/all', '/constructor'])(
    'returns no step for %s, where no single application is open (S22, S66)',
    pathname => {
      expect(progressAt(pathname)).toEqual({ finished: 0, current: undefined })
    },
  )

  it('returns all steps as finished on the final summary (S22)', () => {
    expect(progressAt('/final/a/n/x')).toEqual({ finished: 5, current: undefined })
  })
})

describe('mayOfferUpdate', () => {
  it('returns false during payment and booking, and true on other pages (D36)', () => {
    const paths = [
      '/payment/a/n',
      '/cardPayment',
      '/payOtp/a/n/p',
      '/payResult/a/n/p',
      '/appointment/a/n',
      '/schedule/a/n/x',
    ]
    const others = ['/', '/procedure', '/form/a/n/PersonData', '/confirm/a/n', '/final/a/n/x']
    expect(paths.filter(mayOfferUpdate)).toEqual([])
    expect(others.every(mayOfferUpdate)).toBe(true)
  })
})
