import { describe, expect, it } from 'vitest'
import { mayOfferUpdate, progressAt } from '#shell/steps-of-route.ts'

describe('the five steps', () => {
  it.each([
    ['/', 0, 1],
    ['/mobile', 0, 1],
    ['/mail', 0, 1],
    ['/password', 0, 1],
    ['/procedure', 1, 2],
    ['/form/a/n/NicData', 1, 2],
    ['/confirm/a/n', 2, 3],
    ['/payment/a/n', 3, 4],
    ['/cardPayment', 3, 4],
    ['/payOtp/a/n/p', 3, 4],
    ['/payResult/a/n/p', 3, 4],
    ['/appointment/a/n', 4, 5],
    ['/appointment/a/n/x', 4, 5],
    ['/schedule/a/n/x', 4, 5],
  ])('stand on %s at %i finished and the %i. current (NAV15, NAV16, S22)', (pathname, finished, current) => {
    expect(progressAt(pathname)).toEqual({ finished, current })
  })

  it('claim nothing on an address that is none (S66)', () => {
    expect(progressAt('/nowhere/at/all')).toEqual({ finished: 0, current: undefined })
  })

  it('are all finished on the final summary (S22)', () => {
    expect(progressAt('/final/a/n/x')).toEqual({ finished: 5, current: undefined })
  })
})

describe('a new release', () => {
  it('is offered neither during payment nor during booking (D36)', () => {
    const places = ['/payment/a/n', '/cardPayment', '/payOtp/a/n/p', '/payResult/a/n/p', '/schedule/a/n/x']
    expect(places.filter(mayOfferUpdate)).toEqual([])
    expect(['/', '/procedure', '/form/a/n/PersonData', '/final/a/n/x'].every(mayOfferUpdate)).toBe(true)
  })
})
