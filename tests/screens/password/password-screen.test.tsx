// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { languages, type Language } from '#contract/codes.ts'
import type { FakeRequest } from '#support/providers/fake-fetch.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'

let portal: Portal
afterEach(() => portal.close())

type Opening = {
  path?: '/mail' | '/mobile'
  language?: Language
  features?: string[]
  /** The response of /getSiteKey: which captcha the server uses. */
  captchaOffer?: object
  /** The statusCode of each response of /auth, in order; 0 after the last. */
  statusCodes?: number[]
}

/** Opens a sign-in page with a fake server that gives the chosen responses. */
async function open({
  path = '/mail',
  language = 'fr',
  features = [],
  captchaOffer,
  statusCodes = [],
}: Opening) {
  const left = [...statusCodes]
  portal = await openPortal({
    path,
    language,
    answer({ url }) {
      if (url.includes('/version')) return { json: { data: { version: '1', otpTtl: 60, features } } }
      if (url.includes('/getSiteKey')) return { json: { data: captchaOffer } }
      if (url.includes('/auth')) return { json: { data: { statusCode: left.shift() ?? 0 } } }
      return undefined
    },
  })
  const t = textsOf(language)
  await portal.heading(t(path === '/mail' ? 'mail.heading' : 'mobile.heading'))
  portal.type(path === '/mail' ? 'email' : 'phoneNumber', path === '/mail' ? 'awa@example.cm' : '671234567')
  portal.button(t('button.continue')).click()
  return t
}

function requestsTo(call: string): FakeRequest[] {
  return portal.requests.filter(({ url }) => url.includes(call))
}

describe.each(languages)('the other channel, in %s', language => {
  it.each([
    ['/mobile', 'password.byEmail', 'password.byEmailIn', 'password.sentByEmail', 'SMS'],
    ['/mail', 'password.bySms', 'password.bySmsIn', 'password.sentBySms', 'e-mail'],
  ] as const)(
    'asks for a code from %s with one tap, does not say whether there is another contact, and names the channel that is left if there is none (F6, D21)',
    async (path, tap, wait, confirmation, firstChannel) => {
      const t = await open({ path, language, features: ['otherChannel'] })
      await portal.heading(t('password.heading'))
      await portal.see(() => portal.button(t(tap)).click())
      await portal.see(() => expect(portal.main().textContent).toContain(t(confirmation)))
      expect(t(confirmation)).toMatch(new RegExp(`\\. (?:Sinon|Otherwise),? [^.]*${firstChannel}\\.$`))
      expect(portal.button(t(wait, { seconds: 60 })).getAttribute('aria-disabled')).toBe('true')
      const typed = path === '/mail' ? { email: 'awa@example.cm' } : { msisdn: '237671234567' }
      expect(requestsTo('/auth').map(({ body }) => body)).toMatchObject([
        typed,
        { ...typed, otherChannel: true },
      ])
      expect(requestsTo('/auth')[0]?.body).not.toHaveProperty('otherChannel')
    },
  )
})

it.each(languages)(
  'names a fault of the code in the title of the page until it is changed, in %s (OTP01)',
  async language => {
    const t = await open({ path: '/mobile', language })
    const page = t('password.heading')
    await portal.heading(page)
    portal.button(t('button.continue')).click()
    const errorTitle = t('app.errorTitle', { page })
    await portal.see(() => expect(document.title).toBe(t('app.title', { page: errorTitle })))
    portal.type('otp', '1')
    await portal.see(() => expect(document.title).toBe(t('app.title', { page })))
  },
)

describe('the other channel of the password screen', () => {
  it('is absent when the server does not support it', async () => {
    const t = await open({ path: '/mobile' })
    await portal.heading(t('password.heading'))
    await portal.see(() => expect(portal.services.serverInfo.current().value).toBeDefined())
    expect(portal.main().textContent).not.toContain(t('password.byEmail'))
  })

  it('shows its captcha below its own button', async () => {
    const captchaOffer = { provider: 'altcha', challengeUrl: '/api/v1/captcha/challenge' }
    const t = await open({ path: '/mobile', features: ['otherChannel'], captchaOffer, statusCodes: [0, 3] })
    await portal.heading(t('password.heading'))
    await portal.see(() => portal.button(t('password.byEmail')).click())
    await portal.see(() => void portal.button(t('captcha.start')))
    const labels = [...portal.main().querySelectorAll('button')].map(button => button.textContent)
    expect(labels).toContain(t('password.byEmail'))
    expect(labels.indexOf(t('captcha.start'))).toBe(labels.indexOf(t('password.byEmail')) + 1)
    expect(portal.main().textContent).not.toContain(t('password.sentByEmail'))
  })
})

describe('the page of the e-mail address after too many codes', () => {
  it('shows the limit without a captcha, and Continue retries (SIG12, D20)', async () => {
    const t = await open({ captchaOffer: { provider: 'off' }, statusCodes: [9, 9] })
    await portal.see(() => {
      expect(portal.main().textContent).toContain(t('captcha.tooMany'))
      expect(portal.main().textContent).not.toContain(t('captcha.heading'))
    })
    expect(portal.main().textContent).not.toContain(t('captcha.start'))
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(requestsTo('/auth')).toHaveLength(2))
    await portal.see(() =>
      expect(portal.button(t('button.continue')).getAttribute('aria-disabled')).toBeNull(),
    )
    portal.button(t('button.continue')).click()
    await portal.heading(t('password.heading'))
  })
})

describe.each(languages)('the same contact within a minute, in %s', language => {
  it('requests no second code, and says when the first was sent, as HH:MM (SIG10)', async () => {
    const t = await open({ language })
    await portal.heading(t('password.heading'))
    const now = new Date(portal.device.now())
    const time = [now.getHours(), now.getMinutes()].map(part => String(part).padStart(2, '0')).join(':')
    portal.button(t('button.back')).click()
    await portal.heading(t('mail.heading'))
    portal.button(t('button.continue')).click()
    await portal.heading(t('password.heading'))
    await portal.see(() => expect(document.body.textContent).toContain(t('notice.codeStillValid', { time })))
    expect(requestsTo('/auth')).toHaveLength(1)
  })
})

describe.each(languages)('the page of the code, in %s', language => {
  it('has Continue directly under the box, then the other ways to get a code (OTP01)', async () => {
    const t = await open({ path: '/mobile', language, features: ['otherChannel'] })
    await portal.heading(t('password.heading'))
    await portal.see(() => void portal.button(t('password.byEmail')))
    portal.notices.dismiss()
    await portal.see(() => expect(portal.main().textContent).not.toContain(t('notice.codeSentPhone')))
    const controls = [...portal.main().querySelectorAll('input, button')].map(
      element => element.getAttribute('name') ?? element.textContent,
    )
    expect(controls).toEqual([
      'otp',
      t('button.show'),
      t('button.continue'),
      t('button.back'),
      t('password.resendIn', { seconds: 60 }),
      t('password.byEmail'),
    ])
  })

  it('opens with the focus in the box, and says how long the code is valid (F6)', async () => {
    const t = await open({ path: '/mobile', language })
    await portal.heading(t('password.heading'))
    await portal.see(() => expect(document.activeElement?.getAttribute('name')).toBe('otp'))
    expect(portal.main().textContent).toContain(t('password.validFor', { duration: '1 minute' }))
  })
})

describe('the wait for another code', () => {
  it('ends in time when the clock of the device is set back by a day (OTP05, S85)', async () => {
    const t = await open({ path: '/mobile' })
    await portal.heading(t('password.heading'))
    expect(portal.button(t('password.resendIn', { seconds: 60 })).getAttribute('aria-disabled')).toBe('true')
    await portal.device.advance(20_000)
    await portal.see(() => portal.button(t('password.resendIn', { seconds: 40 })))
    portal.device.moveWallClock(-24 * 60 * 60_000)
    await portal.device.advance(10_000)
    await portal.see(() => portal.button(t('password.resendIn', { seconds: 30 })))
    await portal.device.advance(30_000)
    await portal.see(() =>
      expect(portal.button(t('password.resend')).getAttribute('aria-disabled')).toBeNull(),
    )
  })
})
