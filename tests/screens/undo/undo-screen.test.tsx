// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { languages } from '#contract/codes.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

let portal: Portal
afterEach(() => portal.close())

describe.each(languages)('the undo of a changed contact, in %s (D70, NAV32)', language => {
  const t = textsOf(language)

  it.each([
    ['is done', { data: { isComplete: true } }, 'undo.done', 'undo.doneNext'],
    ['is done when the response does not say whether it is complete', {}, 'undo.done', 'undo.doneNext'],
    ['is partly done', { data: { isComplete: false } }, 'undo.partlyDone', 'undo.partlyDoneNext'],
  ] as const)('says that it %s', async (_, json, heading, next) => {
    portal = await openPortal({
      path: '/undo',
      language,
      answer: ({ url }) => (url.includes('/account/contacts/undo') ? { json } : undefined),
    })
    await portal.heading(t('undo.heading'))
    portal.type('undoCode', 'ABCD-EFGH-JKMN')
    portal.button(t('undo.button')).click()
    await portal.see(() => expect(portal.main().textContent).toContain(t(next)))
    const headings = [...portal.main().querySelectorAll('h2')].map(({ textContent }) => textContent)
    expect(headings).toEqual([t(heading)])
  })
})

it('offers the undo again when the message of another change is opened in the same tab (D70, NAV32)', async () => {
  const t = textsOf('fr')
  portal = await openPortal({
    path: '/undo#ABCD-EFGH-JKMN',
    answer: ({ url }) => (url.includes('/account/contacts/undo') ? { json: {} } : undefined),
  })
  await portal.see(() => portal.button(t('undo.button')).click())
  await portal.see(() => expect(portal.main().textContent).toContain(t('undo.done')))
  await portal.router.navigate({ href: '/undo#PQRS-TVWX-YZ23' })
  await portal.see(() => expect(portal.named('undoCode').value).toBe('PQRS-TVWX-YZ23'))
  expect(portal.main().textContent).not.toContain(t('undo.done'))
  expect(portal.button(t('undo.button')).disabled).toBe(false)
})
