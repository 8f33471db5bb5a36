// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { entryPaths } from '#contract/codes.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { settle } from '#support/settle.ts'
import { textsOf } from '#support/data/texts.ts'

const t = textsOf('fr')
let portal: Portal

afterEach(() => portal.close())

/** Opens a page of the sign-in with a session, then the list. */
async function signInAndOpenList(path: string) {
  portal = await openPortal({ path })
  await portal.router.navigate({ href: '/procedure' })
  await portal.heading(t('procedure.heading'))
}

describe('Back in the browser after a sign-in (S50)', () => {
  it.each(entryPaths.filter(path => path !== '/'))('opens the list instead of %s', async path => {
    await signInAndOpenList(path)
    const { history } = portal.router
    const wasBack = new Promise<void>(resolve => {
      history.subscribe(({ action }) => action.type === 'BACK' && resolve())
    })
    history.back()
    await wasBack
    await settle()
    await portal.heading(t('procedure.heading'))
    expect(location.pathname).toBe('/procedure')
  })

  it('opens the welcome page, which links to the list', async () => {
    await signInAndOpenList('/')
    portal.router.history.back()
    await portal.heading(t('welcome.heading'))
    expect(portal.main().textContent).toContain(t('welcome.toProcedure'))
  })

  it('opens the page for another contact, also on the way back from the page of its code', async () => {
    await signInAndOpenList('/')
    portal.router.history.back()
    await portal.heading(t('welcome.heading'))
    await portal.router.navigate({ href: '/mobile' })
    await portal.heading(t('mobile.heading'))
    await portal.router.navigate({ href: '/password' })
    await portal.heading(t('password.heading'))
    portal.router.history.back()
    await portal.heading(t('mobile.heading'))
  })
})
