// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { deviceUseStorageKey } from '#contract/codes.ts'
import { setOnlyInPage } from '#device/unload-warning.ts'
import { newDraft } from '#store/draft.ts'
import { minorWithRepresentative } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
let portal: Portal
afterEach(async () => {
  setOnlyInPage([])
  await portal.close()
})

const buttons = () => [...document.querySelectorAll('dialog[open] button')]
const words = () => buttons().map(({ textContent }) => textContent)

describe('the warning before an inactive applicant is logged out', () => {
  it('names the button that logs out of a kiosk as the header does (D38)', async () => {
    portal = await openPortal({ path: '/procedure', texts: { [deviceUseStorageKey]: 'kiosk:2' } })
    await portal.heading(t('procedure.heading'))
    await portal.language.loadMessages('tools')
    await portal.seeAsTimePasses(() => expect(words()).toContain(t('idle.stay')))
    expect(words()).toContain(t('kiosk.finish'))
    expect(words()).not.toContain(t('button.logOut'))
  })

  it.each([
    ['stay locked on a shared device', [], 'idle.locked'],
    [
      'are deleted when the device could not save them, because only a saved draft can be locked',
      ['app-1'],
      'idle.deleted',
    ],
  ] as const)('says that unsent answers %s (D31)', async (_, onlyInPage, text) => {
    portal = await openPortal({
      path: '/procedure',
      claims: { inactivity: 90 }, // seconds
      texts: { [deviceUseStorageKey]: 'shared' },
    })
    await portal.heading(t('procedure.heading'))
    setOnlyInPage(onlyInPage)
    await portal.seeAsTimePasses(() => expect(words()).toContain(t('idle.stay')))
    expect(document.querySelector('dialog[open]')?.textContent).toContain(t(text))
  })
})

describe('the question before a log-out that loses answers', () => {
  it('has a red button for the act that destroys (D31)', async () => {
    portal = await openPortal({
      path: '/procedure',
      texts: { [deviceUseStorageKey]: 'shared' },
      answer: ({ method }) => (method === 'POST' ? 'no connection' : undefined),
    })
    await portal.heading(t('procedure.heading'))
    const draft = newDraft({ values: minorWithRepresentative, tab: 'NicData' })
    await portal.store.drafts.update('app-1', () => draft)
    void portal.services.session.logOut()
    await portal.seeAsTimePasses(() => expect(words()).toContain(t('leaving.lose')))
    const lose = buttons().find(({ textContent }) => textContent === t('leaving.lose'))
    expect(lose?.className).toContain('danger')
  })
})
