// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { busyAnswer } from '#support/data/busy-answer.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'

let portal: Portal
afterEach(() => portal.close())

const t = textsOf('fr')

const codeRequests = () => portal.requests.filter(({ url }) => url.includes('/auth'))
const banner = () => document.querySelector('[role="status"]')?.textContent ?? ''

describe('the request for a code while too many people sign in (D92)', () => {
  it('keeps what was typed, says when the next try happens, and sends it then by itself', async () => {
    const busy = await busyAnswer()
    const answers: object[] = [busy, busy, { json: { data: { statusCode: 0 } } }]
    portal = await openPortal({
      path: '/mobile',
      answer: ({ url }) => (url.includes('/auth') ? answers.shift() : undefined),
    })
    await portal.heading(t('mobile.heading'))
    portal.type('phoneNumber', '671234567')
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(document.body.textContent).toContain(t('notice.nextTry', { seconds: 12 })))
    expect(document.body.textContent).toContain(t('notice.waiting'))
    // The device saves nothing of what was typed, so the banner must not say that it does.
    expect(banner()).not.toMatch(/gardé|conservé|enregistré/)
    expect(portal.named('phoneNumber').value).toContain('67')
    await portal.device.advance(5_000)
    await portal.see(() => expect(banner()).toContain(t('notice.nextTry', { seconds: 7 })))
    expect(codeRequests()).toHaveLength(1)
    await portal.device.advance(7_000)
    await portal.see(() => expect(codeRequests()).toHaveLength(2))
    await portal.see(() => expect(banner()).toContain(t('notice.nextTry', { seconds: 12 })))
    await portal.device.advance(12_000)
    await portal.heading(t('password.heading'))
    expect(codeRequests().map(({ body }) => body)).toEqual(
      Array.from({ length: 3 }, () => expect.objectContaining({ msisdn: '237671234567' })),
    )
    expect(document.body.textContent).not.toContain(t('notice.waiting'))
  })

  it.each([
    ['has left the page', false],
    ['has left the page and opened it again', true],
  ])('is not sent again after the applicant %s (D137)', async (_name, returns) => {
    const busy = await busyAnswer()
    portal = await openPortal({
      path: '/mobile',
      answer: ({ url }) => (url.includes('/auth') ? busy : undefined),
    })
    await portal.heading(t('mobile.heading'))
    portal.type('phoneNumber', '671234567')
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(document.body.textContent).toContain(t('notice.waiting')))
    portal.button(t('button.back')).click()
    await portal.heading(t('welcome.heading'))
    if (returns) await portal.services.navigation.go('/mobile')
    if (returns) await portal.heading(t('mobile.heading'))
    await portal.device.advance(60_000)
    expect(codeRequests()).toHaveLength(1)
    expect(portal.notices.state().last?.message).not.toEqual({ key: 'notice.busy' })
  })
})
