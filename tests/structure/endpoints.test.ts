import { describe, expect, it } from 'vitest'
import { endpoints } from '#contract/endpoints.ts'

// The calls of the specification, chapter 7. API36 is the common handling of errors and not a call.
const calls = [
  ['API01', 'POST', '/auth'],
  ['API02', 'GET', '/getSiteKey'],
  ['API03', 'POST', '/login'],
  ['API04', 'POST', '/refresh-token'],
  ['API05', 'POST', '/refresh-token/logout'],
  ['API06', 'GET', '/version'],
  ['API07', 'POST', '/applications'],
  ['API08', 'GET', '/applications'],
  ['API09 S14', 'POST', '/applications/:id/data'],
  ['API10', 'GET', '/applications/:id/data'],
  ['API11', 'POST', '/applications/:id/confirmData'],
  ['API12', 'GET', '/applications/:id/get-pdf'],
  ['API13', 'POST', '/applications/:id/get-pdf/v2/:file'],
  ['API14', 'GET', '/applications/countries'],
  ['API15', 'GET', '/dictionary/professions'],
  ['API16', 'GET', '/dictionary/regions'],
  ['API17', 'GET', '/dictionary/departments'],
  ['API18', 'GET', '/dictionary/localities'],
  ['API19', 'POST', '/appointments'],
  ['API20', 'GET', '/appointments/:id'],
  ['API21', 'POST', '/appointments/:id'],
  ['API22 S31', 'POST', '/appointments/:id/confirm'],
  ['API23', 'GET', '/appointments/countries'],
  ['API24', 'GET', '/appointments/countries/:countryId/cities'],
  ['API25', 'GET', '/appointments/offices'],
  ['API26', 'GET', '/appointments/offices/:officeId/available-dates'],
  ['API27', 'GET', '/appointments/offices/:officeId/available-slots'],
  ['API28', 'POST', '/payments/mobile-payment-init'],
  ['API29', 'POST', '/payments/aggregator-payment-init'],
  ['API30', 'POST', '/payments/card-payment-init'],
  ['API30', 'POST', '/payments/uba-payment-init'],
  ['API31', 'POST', '/payments/mock-payment-init'],
  ['API31', 'POST', '/payments/whitelist-payment-init'],
  ['API32 S15', 'POST', '/payments/:paymentId/confirm'],
  ['API33', 'GET', '/payments/:paymentId'],
  ['API34', 'GET', '/payments'],
  ['API35', 'GET', '/payments/payment-methods'],
] as const

const listed: { method: string; path: string }[] = Object.values(endpoints)

describe('the list of endpoints', () => {
  it.each(calls)('contains %s: %s %s', (_, method, path) => {
    const signatures = listed.map(signatureOf)
    expect(signatures, `add { method: '${method}', path: '${path}' } to src/contract/endpoints.ts`).toContain(
      signatureOf({ method, path }),
    )
  })

  it('has no two endpoints with the same method and path', () => {
    const signatures = listed.map(signatureOf)
    expect(signatures.filter((signature, index) => signatures.indexOf(signature) !== index)).toEqual([])
  })

  it('has paths without /api/v1 and without a query', () => {
    const wrong = listed
      .map(endpoint => endpoint.path)
      .filter(path => !/^(?:\/:?[\w.-]+)+$/.test(path) || path.startsWith('/api/'))
    expect(wrong, "write '/appointments/:id'").toEqual([])
  })
})

// The name of a parameter does not matter, nor whether `.pdf` is part of it.
function signatureOf({ method, path }: { method: string; path: string }): string {
  return `${method} ${path.replaceAll(/:\w+(?:\.pdf)?/g, ':…')}`
}
