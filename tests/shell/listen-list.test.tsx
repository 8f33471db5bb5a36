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
