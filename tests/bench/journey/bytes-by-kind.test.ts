import { expect, it } from 'vitest'
import { describeKinds, kindOf } from './bytes-by-kind.ts'

it.each([
  ['/sw.js', 'service worker'],
  ['/assets/service-worker-AOB0I7ZI.js', 'service worker'],
  ['/assets/fr-rest-D8h7LTRM.js', 'texts in French'],
  ['/assets/en-rest-CZtlniew.js', 'texts in English, for a change of the language offline'],
  ['/assets/start-Bz6NhBFk.js', 'scripts other than texts and service worker (docs/bench-bytes.md)'],
  ['/check-browser.js', 'scripts other than texts and service worker (docs/bench-bytes.md)'],
  ['/api/v1/dictionary/home-places', 'lists of places, countries and occupations'],
  ['/api/v1/applications/countries?lg=fr', 'lists of places, countries and occupations'],
  ['/api/v1/applications/1/get-pdf?lg=fr', 'receipt as a PDF'],
  ['/api/v1/applications?applicantId=1', 'calls other than lists and PDF'],
  ['/manifest.webmanifest', 'icons, drawings and the manifest'],
  ['/mobile', 'pages'],
])('%s is of the kind %s', (path, kind) => {
  expect(kindOf(path)).toBe(kind)
})

it('lists the kinds by size, and after them the bytes that are in no body', () => {
  const bodies = [
    { path: '/mobile', bytes: 1_024 },
    { path: '/assets/start-1.js', bytes: 2_048 },
    { path: '/assets/form-1.js', bytes: 2_048 },
  ]
  expect(describeKinds(bodies, 7_168).split('\n')).toEqual([
    '| what | responses | KiB |',
    '| --- | --: | --: |',
    '| scripts other than texts and service worker (docs/bench-bytes.md) | 2 | 4.0 |',
    '| pages | 1 | 1.0 |',
    '| headers and encryption | 3 | 2.0 |',
    '| **sum** |  | 7.0 |',
  ])
})
