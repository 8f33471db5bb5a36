// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'
import { longestPressMs } from '#ui/longest-press.ts'

let portal: Portal
afterEach(() => portal.close())

const t = textsOf('fr')

/** Opens the page for the phone number, and types. */
async function open(typed: string) {
  portal = await openPortal({
    path: '/mobile',
    answer: ({ url }) => (url.includes('/auth') ? { json: { data: { statusCode: 0 } } } : undefined),
  })
  await portal.heading(t('mobile.heading'))
  await portal.see(() => expect(portal.options('dialCode').length).toBeGreaterThan(200))
  portal.type('phoneNumber', typed)
}

/** Leaves the field, and waits as long as a press may take. */
async function leaveField() {
  portal.leave('phoneNumber')
  await portal.device.advance(longestPressMs)
}

const seeHint = (words: string) => portal.see(() => expect(portal.main().textContent).toContain(words))

describe('the phone number of the sign-in (SIG01, SIG03, SIG04, D135)', () => {
  it.each(['+33 6 12 34 56 78', '0033612345678'])('moves the dial code of %s to the list', async typed => {
    await open(typed)
    await leaveField()
    await portal.see(() => expect(portal.named('dialCode').value).toBe('33'))
    expect(portal.named('phoneNumber').value).toBe('612345678')
    portal.button(t('button.continue')).click()
    await portal.heading(t('password.heading'))
    const [request] = portal.requests.filter(({ url }) => url.includes('/auth'))
    expect(`${request?.url} ${JSON.stringify(request?.body)}`).toContain('33612345678')
  })

  it('keeps a dial code that is chosen right after the number', async () => {
    await open('612345678')
    portal.leave('phoneNumber')
    portal.type('dialCode', '33')
    await portal.device.advance(longestPressMs)
    await portal.see(() => expect(portal.named('phoneNumber').value).toBe('612345678'))
    expect(portal.named('dialCode').value).toBe('33')
  })

  it('warns of an unusual number of Cameroon only after the field was left, until the next key', async () => {
    await open('67123')
    await seeHint(t('hint.phoneHome'))
    await leaveField()
    await seeHint(t('hint.phoneUnusual'))
    portal.type('phoneNumber', '671234')
    await seeHint(t('hint.phoneHome'))
  })

  it('calls a number wrong only after the field was left, until the next key', async () => {
    await open('6712')
    await portal.device.advance(longestPressMs)
    expect(portal.fault('phoneNumber')).toBeUndefined()
    await leaveField()
    await portal.see(() => expect(portal.fault('phoneNumber')).toBe(t('issue.not-valid')))
    portal.type('phoneNumber', '67123')
    await portal.see(() => expect(portal.fault('phoneNumber')).toBeUndefined())
  })

  it('calls an empty field wrong only at Continue', async () => {
    await open('')
    await leaveField()
    expect(portal.fault('phoneNumber')).toBeUndefined()
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(portal.fault('phoneNumber')).toBe(t('issue.not-valid')))
    expect(document.activeElement).toBe(portal.named('phoneNumber'))
  })
})
