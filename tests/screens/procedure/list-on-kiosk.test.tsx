// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { deviceUseStorageKey } from '#contract/codes.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

const labels = () => [...document.querySelectorAll('button')].map(({ textContent }) => textContent)

describe('the way out of the list', () => {
  it('is the button of the header on a kiosk, and Log out elsewhere (LST02, OFF16, D38)', async () => {
    portal = await openPortal({ path: '/procedure' })
    await portal.see(() => expect(labels()).toContain(t('button.logOut')))
    expect(labels()).not.toContain(t('kiosk.finish'))
    await portal.close()
    portal = await openPortal({ path: '/procedure', texts: { [deviceUseStorageKey]: 'kiosk:3' } })
    await portal.see(() => expect(document.querySelector('header')?.textContent).toContain(t('kiosk.finish')))
    // On other devices this text is above Log out.
    const { textContent } = portal.main()
    expect(textContent).toContain(t('procedure.signedInAs', { contact: '' }).trim())
    expect(labels()).not.toContain(t('button.logOut'))
  })
})
