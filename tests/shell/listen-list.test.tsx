// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest'
import { findSpokenTexts } from '#shell/read-aloud.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

it('reads aloud that the list is empty, and why a second way to sign in helps (NAV30)', async () => {
  portal = await openPortal({
    path: '/procedure',
    answer: ({ url }) => {
      if (url.includes('/version')) return { json: { data: { version: '1', features: ['contacts'] } } }
      return /\/applications\?/.test(url) ? { json: { data: [] } } : undefined
    },
  })
  await portal.see(() =>
    expect(findSpokenTexts(portal.main())).toEqual(
      expect.arrayContaining([
        t('procedure.empty'),
        t('procedure.secondContact'),
        t('procedure.secondContactWhy'),
      ]),
    ),
  )
})

it('reads aloud the state of each application and the step that is left, but no name and no number (NAV30)', async () => {
  const person = { surname: 'Nomlisible', givenName: 'Awa' }
  const paid = { id: 'app-1', applicationNumber: 'PP-1', currentState: 'PAYMENT_DONE', person }
  const booked = { ...paid, id: 'app-2', applicationNumber: 'PP-2', currentState: 'APPOINTMENT_SCHEDULED' }
  portal = await openPortal({
    path: '/procedure',
    answer: ({ url }) => (/\/applications\?/.test(url) ? { json: { data: [paid, booked] } } : undefined),
  })
  await portal.see(() => expect(portal.main().textContent).toContain('Nomlisible'))
  const spoken = findSpokenTexts(portal.main())
  expect(spoken).toEqual(
    expect.arrayContaining([
      t('state.PAYMENT_DONE'),
      t('procedure.oneStepLeft').replaceAll(/\s/g, ' '),
      t('state.APPOINTMENT_SCHEDULED'),
    ]),
  )
  expect(spoken.join(' ')).not.toMatch(/Nomlisible|PP-/)
})
