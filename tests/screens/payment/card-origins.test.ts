import { afterEach, describe, expect, it, vi } from 'vitest'
import { cardOrigins, knowsCardMethod } from '#screens/payment/card-origins.ts'

const info = { version: '1', features: [] }
const returnUrl = 'https://portal.example/payment/a/b'

afterEach(() => vi.unstubAllEnvs())

describe('the allowed origins of a card payment', () => {
  it('are those of the server, whatever the build names', () => {
    vi.stubEnv('VITE_CARD_ORIGINS', 'https://other.example')
    const cardGateways = ['https://bank.example']
    expect(cardOrigins({ ...info, cardGateways }, returnUrl).gateways).toEqual(cardGateways)
    expect(cardOrigins({ ...info, cardGateways: [] }, returnUrl).gateways).toEqual([])
  })

  it('are those of the build when the server sends no list (D67)', () => {
    vi.stubEnv('VITE_CARD_ORIGINS', ' https://bank.example/pay, ,nonsense,https://second.example:8443')
    const expected = ['https://bank.example', 'https://second.example:8443']
    expect(cardOrigins(info, returnUrl).gateways).toEqual(expected)
    expect(cardOrigins(undefined, returnUrl).gateways).toEqual(expected)
  })

  it('include no gateway when neither the server nor the build names one', () => {
    expect(cardOrigins(info, returnUrl)).toEqual({ gateways: [], own: ['https://portal.example'] })
  })

  it('let the payer return to the portal or to its back end only', () => {
    vi.stubEnv('VITE_API_ORIGIN', 'https://api.example')
    expect(cardOrigins(info, returnUrl).own).toEqual(['https://portal.example', 'https://api.example'])
  })
})

it('knowsCardMethod returns false only for a server that is known not to know the field `method` (D67)', () => {
  expect(knowsCardMethod(info)).toBe(false)
  expect(knowsCardMethod({ ...info, cardGateways: [] })).toBe(true)
  expect(knowsCardMethod(undefined)).toBe(true)
})
