import { describe, expect, it } from 'vitest'
import { isDictionary, isFormList, isPdfViewer, isPortalPage } from '../../sw/addresses.ts'

const at = (path: string) => new URL(path, 'https://portal.example')

describe('the routes of the service worker', () => {
  it.each(['/', '/form/12', '/payment/12/CM-7', '/payOtp/1/2/3', '/payResult/1/2/3', '/?kiosk=4'])(
    'answer %s as a page of the portal (OFF02)',
    path => expect(isPortalPage(at(path))).toBe(true),
  )

  it.each([
    '/api/v1/version',
    '/health',
    '/ready',
    '/network',
    '/pay',
    '/pay/card/9',
    '/assets/gone-12345678.js',
    '/robots.txt',
  ])('leave %s to the server', path => expect(isPortalPage(at(path))).toBe(false))

  it.each([
    '/api/v1/dictionary/professions?lg=fr',
    '/api/v1/dictionary/localities?lg=en&region=1&department=2',
    '/api/v1/applications/countries?lg=fr',
    '/api/v1/appointments/countries?lg=fr',
    '/api/v1/appointments/countries/10998/cities?lg=fr',
    '/api/v1/appointments/offices?cityId=3&lg=fr',
  ])('cache the list %s (OFF03)', path => expect(isDictionary(at(path))).toBe(true))

  it.each([
    ['/api/v1/dictionary/professions?lg=fr', 'at most once a day', true],
    ['/api/v1/dictionary/localities?lg=en&region=1&department=2', 'at most once a day', true],
    ['/api/v1/applications/countries?lg=fr', 'at most once a day', true],
    ['/api/v1/appointments/countries?lg=fr', 'at each use', false],
    ['/api/v1/appointments/countries/10998/cities?lg=fr', 'at each use', false],
    ['/api/v1/appointments/offices?cityId=3&lg=fr', 'at each use', false],
  ])('request %s %s (D35)', (path, _, isDaily) => expect(isFormList(at(path))).toBe(isDaily))

  it.each([
    '/api/v1/applications?applicantId=1',
    '/api/v1/applications/4/data',
    '/api/v1/appointments/4?lg=fr',
    '/api/v1/appointments/offices/3/available-dates?applicationId=4',
    '/api/v1/appointments/offices/3/available-slots?date=2026-12-01',
    '/api/v1/payments/payment-methods',
    '/api/v1/version',
    '/api/v1/dictionary/professions?lg=fr&token=secret',
  ])('never cache %s', path => expect(isDictionary(at(path))).toBe(false))

  it('treat pdf.js as a file to cache at its first use (OFF10)', () => {
    expect(isPdfViewer(at('/assets/pdf.worker.min-B5Yc7dP4.mjs'))).toBe(true)
    expect(isPdfViewer(at('/assets/index-B5Yc7dP4.js'))).toBe(false)
  })
})
