// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

const closeButton = () =>
  document.querySelector<HTMLElement>(`button[aria-label="${t('button.closeNotice')}"]`)

it('closing a notice moves the focus from its button, which disappears, to the heading (D51, WCAG 2.4.3)', async () => {
  portal = await openPortal({ path: '/procedure' })
  await portal.heading(t('procedure.heading'))
  portal.notices.raise('warning', { key: 'notice.offline' })
  await portal.see(() => expect(closeButton()).not.toBeNull())
  closeButton()?.focus()
  closeButton()?.click()
  await portal.see(() => expect(closeButton()).toBeNull())
  expect(document.activeElement?.id).toBe('heading')
})

it('a notice that disappears by itself moves no focus (D51)', async () => {
  portal = await openPortal({ path: '/procedure' })
  await portal.heading(t('procedure.heading'))
  await portal.see(() => portal.button(t('button.logOut')))
  portal.button(t('button.logOut')).focus()
  portal.notices.raise('warning', { key: 'notice.offline' })
  await portal.see(() => expect(closeButton()).not.toBeNull())
  await portal.seeAsTimePasses(() => expect(closeButton()).toBeNull())
  expect(document.activeElement?.textContent).toBe(t('button.logOut'))
})
