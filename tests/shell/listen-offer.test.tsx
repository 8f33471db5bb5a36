// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { findSpokenTexts } from '#shell/read-aloud.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

it('reads aloud the offer to take over earlier answers, but no name and no application number (NAV30, FRM20)', async () => {
  const earlier = { ...firstPassport, surname: 'Nomlisible', email: 'ada@example.cm' }
  portal = await openPortal({
    path: '/form/app-1/PP-1/PersonData',
    answer({ url, method }) {
      if (url.includes('/applications/app-0/data')) return { json: { data: toWire(earlier) } }
      if (!/\/applications(?:\?|$)/.test(url) || method !== 'GET') return undefined
      const states = { 'app-1': 'NEW', 'app-0': 'SENT_TO_CM' }
      const data = Object.entries(states).map(([id, currentState]) => ({
        id,
        applicationNumber: `PP-${id}`,
        currentState,
      }))
      return { json: { data } }
    },
  })
  const offer = t('takeOver.button', {
    number: '',
    groups: 'l’adresse, les coordonnées et les parents',
  }).trim()
  await portal.see(() => expect(portal.main().textContent).toContain('Nomlisible'))
  const spoken = findSpokenTexts(portal.main())
  expect(spoken).toContain(offer)
  expect(spoken.join(' ')).not.toMatch(/Nomlisible|PP-app/)
})
