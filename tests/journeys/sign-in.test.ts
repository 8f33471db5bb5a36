import { describe, expect, it } from 'vitest'
import type { Locator, Page } from 'playwright-core'
import { answerAsServer } from '#support/browsers/answer-as-server.ts'
import { stopClock } from '#support/browsers/stop-clock.ts'
import { collectViolations } from '#support/browsers/csp-guard.ts'
import { joinBrowserFixture, startBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { isFullRun, testedLanguages } from '#support/test-tier.ts'

const captchaCodes = isFullRun ? [3, 8, 9, 11, 12] : [3, 12]
const auth = '**/api/v1/auth*'

async function answerAuth(page: Page, body: Record<string, unknown>, status = 200) {
  await page.route(auth, route => answerAsServer(route, { status, json: body }))
}

const sharedFixture = joinBrowserFixture()

/** A service worker that becomes active during a request would bypass the routes of this test. */
const withoutWorker = { serviceWorkers: 'block' } as const

/** A few long tests: each checks many messages in one page of the browser, because opening a page is slow. */
describe.each(testedLanguages)('signing in, in %s', language => {
  const number = (last: number) => `6710001${language === 'fr' ? '2' : '3'}${last}`

  it('by phone starts with Cameroon, has Back and Continue, and shows the issue of a number under its field (SIG01, SIG02, SIG03, S36, S53, S76, ERR03)', async () => {
    const { page, context, applicant } = await sharedFixture.openWelcome(language, withoutWorker)
    const { t, named, button } = applicant
    const message = page.getByRole('main').getByText(t('issue.not-valid'))
    await page.getByRole('link', { name: t('welcome.phone') }).click()
    expect(await named('dialCode').inputValue()).toBe('237')
    await leaveEmpty(named('phoneNumber'), message)
    for (const wrong of ['', '6710']) {
      await named('phoneNumber').fill(wrong)
      await button('button.continue').click()
      await message.first().waitFor()
      expect(await named('phoneNumber').getAttribute('aria-invalid')).toBe('true')
    }
    await named('phoneNumber').fill('67100')
    await message.first().waitFor({ state: 'detached' })
    await named('phoneNumber').fill('671')
    await named('phoneNumber').blur()
    await message.first().waitFor()
    // An unknown code of the server (ERR03, S36).
    await answerAuth(page, { statusCode: 77 }, 400)
    await named('phoneNumber').fill(number(4))
    await button('button.continue').click()
    await page.getByRole('status').getByText(t('notice.checkPhone')).waitFor()
    expect(new URL(page.url()).pathname).toBe('/mobile')
    await button('button.back').click()
    await applicant.heading('welcome.heading')
    await context.close()
  })

  it('by e-mail has one field, Back and Continue, shows issues under the field, and shows a captcha for each status code that asks for one (SIG06, SIG08, SIG09, SIG11, SIG12, S05, S35, S53, S76, ERR04)', async () => {
    const { page, context, applicant } = await sharedFixture.openWelcome(language, withoutWorker)
    const { t, field, button } = applicant
    const message = page.getByRole('main').getByText(t('issue.not-valid'))
    await page.getByRole('link', { name: t('welcome.email') }).click()
    await applicant.heading('mail.heading')
    expect(await page.getByRole('main').getByRole('textbox').count()).toBe(1)
    await leaveEmpty(field('mail.address'), message)
    for (const wrong of ['', 'nul', `${'a'.repeat(38)}@example.com`]) {
      await field('mail.address').fill(wrong)
      await button('button.continue').click()
      await message.first().waitFor()
    }
    await field('mail.address').fill('awa@')
    await message.first().waitFor({ state: 'detached' })
    await field('mail.address').blur()
    await message.first().waitFor()
    await field('mail.address').fill(`${'a'.repeat(37)} @example.com`)
    expect(await field('mail.address').inputValue()).toBe(`${'a'.repeat(37)}@example.com`)
    await answerAuth(page, { statusCode: 77 }, 400)
    await button('button.continue').click()
    await page.getByRole('alert').getByText(t('notice.checkEmail')).waitFor()
    for (const statusCode of captchaCodes) {
      // The next visit of the page starts without a captcha.
      await button('button.back').click()
      await page.getByRole('link', { name: t('welcome.email') }).click()
      await applicant.heading('mail.heading')
      expect(await page.getByText(t('captcha.heading')).count()).toBe(0)
      await page.unroute(auth)
      await answerAuth(page, { data: { statusCode } })
      await field('mail.address').fill('captcha@example.cm')
      await button('button.continue').click()
      await page.getByRole('heading', { name: t('captcha.heading') }).waitFor()
      expect(new URL(page.url()).pathname, String(statusCode)).toBe('/mail')
    }
    await page.unroute(auth)
    await context.close()
  })

  it('asks for the hidden code and names its contact; a wrong code keeps the page, one tap asks for a code by the other channel too, the right code signs in (OTP01, OTP02, OTP03, OTP04, OTP08, OTP09, SIG10, ERR01, ERR05, ERR06, S65, SES02, F6)', async () => {
    const { page, context, applicant } = await sharedFixture.openWelcome(language)
    const { t, named, button } = applicant
    // No contact is known yet: both buttons ask for one.
    for (const press of ['password.resend', 'button.continue'] as const) {
      await page.goto('/password')
      // The prerendered page does not keep a press of the button that requests a code.
      await page.waitForFunction(() => performance.getEntriesByName('portal-alive').length > 0)
      await button(press).click()
      await page.getByText(t('notice.selectMethod')).first().waitFor()
      await applicant.heading('welcome.heading')
    }
    const bearer: string[] = []
    page.on('request', request => {
      if (request.url().includes('/api/v1/') && request.headers()['authorization']) bearer.push(request.url())
    })
    await page.getByRole('link', { name: t('welcome.phone') }).click()
    await named('phoneNumber').fill(number(1).replace(/(...)(..)(..)(..)/, '$1 $2 $3 $4'))
    await button('button.continue').click()
    await applicant.heading('password.heading')
    await page.getByText(t('notice.codeSentPhone')).first().waitFor()
    const spaced = new RegExp(`237.*${Array.from(number(1)).join('\\D*')}`)
    await page.getByRole('main').getByText(spaced).first().waitFor()
    expect(await named('otp').getAttribute('type')).toBe('password')
    expect(await named('otp').getAttribute('autocomplete')).toBe('one-time-code')
    await button('button.show').click()
    expect(await named('otp').getAttribute('type')).toBe('text')
    await button('button.continue').click()
    await page.getByText(t('issue.code-empty')).first().waitFor()
    const right = await sharedFixture.portal().codeFor(`237${number(1)}`)
    await named('otp').fill(right === '000000' ? '000001' : '000000')
    await button('button.continue').click()
    await page.getByRole('status').getByText(t('notice.codeWrong')).waitFor()
    await page.locator('#otp-error').getByText(t('notice.codeWrong')).waitFor()
    expect(await named('otp').getAttribute('aria-invalid')).toBe('true')
    await applicant.heading('password.heading')
    // No e-mail address is linked to this number: nothing is sent, and the page says the same as if there were one.
    await button('password.byEmail').click()
    await page.getByText(t('password.sentByEmail')).waitFor()
    expect(bearer).toEqual([])
    const countries = page.waitForRequest(request => request.url().includes('/api/v1/applications/countries'))
    await named('otp').fill(` ${right.slice(0, 3)} ${right.slice(3)} `)
    await button('button.continue').click()
    await applicant.heading('procedure.heading')
    await page.getByText(t('notice.welcome')).first().waitFor()
    expect((await countries).headers()['authorization']).toMatch(/^Bearer /)
    await context.close()
  })

  it.runIf(isFullRun)(
    'by e-mail opens the code page with a notice; Back opens the page of the address, and Continue the code page again (SIG10, ERR05, S53)',
    async () => {
      const { page, context, applicant } = await sharedFixture.openWelcome(language)
      const { t, field, named, button } = applicant
      await page.getByRole('link', { name: t('welcome.email') }).click()
      await field('mail.address').fill(`awa.${language}@example.cm`)
      await button('button.continue').click()
      await applicant.heading('password.heading')
      await page.getByText(t('notice.codeSentEmail')).first().waitFor()
      await page.getByRole('main').getByText(`awa.${language}@example.cm`).first().waitFor()
      await button('password.bySms').waitFor()
      await button('button.back').click()
      await applicant.heading('mail.heading')
      expect(await field('mail.address').inputValue()).toBe(`awa.${language}@example.cm`)
      await button('button.continue').click()
      await applicant.heading('password.heading')
      await named('otp').fill(await sharedFixture.portal().codeFor(`awa.${language}@example.cm`))
      await button('button.continue').click()
      await applicant.heading('procedure.heading')
      await context.close()
    },
  )
})

/** Expects no message for an empty field that only had the focus; a message would appear within 0.5 s. */
async function leaveEmpty(input: Locator, message: Locator) {
  await input.focus()
  await input.blur()
  await input.page().waitForTimeout(600)
  expect(await message.count()).toBe(0)
}

describe('the content security policy of the pages', () => {
  it('blocks scripts that are not part of a page, and the check of all browser tests reports them', async () => {
    const { page, context } = await sharedFixture.openWelcome('fr')
    const stopped = await page.evaluate(() => {
      const attempts = [
        () => document.body.setAttribute('onclick', 'document.title = "x"'),
        () => (document.createElement('script').textContent = 'document.title = "x"'),
      ]
      return attempts.filter(attempt => {
        try {
          attempt()
          return false
        } catch {
          return true
        }
      }).length
    })
    expect(stopped).toBe(2)
    const heard: string[] = []
    await expect.poll(() => heard.push(...collectViolations())).toBe(2)
    await context.close()
  })
})

describe('the real captcha', () => {
  const fixture = startBrowserFixture({ NETWORK_CODES_PER_HOUR: '1', TRUSTED_PROXIES: 'loopback' })

  it('is solved on the page, and the next code is sent (SIG12, SIG13, S46)', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr')
    const { t, named, button } = applicant
    // An applicant behind a shared IP address, as most phones are.
    await context.setExtraHTTPHeaders({ 'x-forwarded-for': '198.51.100.7' })
    await page.goto('/mobile')
    await named('phoneNumber').fill('671000131')
    await button('button.continue').click()
    await applicant.heading('password.heading')
    await button('button.back').click()
    await named('phoneNumber').fill('671000132')
    await button('button.continue').click()
    await button('captcha.start').click()
    await page.getByText(t('captcha.done')).waitFor()
    await button('button.continue').click()
    await applicant.heading('password.heading')
    await fixture.portal().codeFor('237671000132')
    await context.close()
  })
})

describe('waiting for a code', () => {
  const fixture = startBrowserFixture({ OTP_TTL_SECONDS: '16' })

  it.runIf(isFullRun)(
    'counts down to the next code, continues after a reload, and starts again when the next code is sent (OTP05, OTP06, OTP07)',
    async () => {
      const { page, context, applicant } = await fixture.openWelcome('fr')
      const { named, button } = applicant
      await page.goto('/mobile')
      await named('phoneNumber').fill('671000123')
      await button('button.continue').click()
      await applicant.heading('password.heading')
      const first = await fixture.portal().codeFor('237671000123')
      const waiting = page.getByRole('button', { name: / \d+ s$/ })
      expect(await waiting.isDisabled()).toBe(true)
      await page.getByRole('button', { name: / (\d|1[0-4]) s$/ }).waitFor()
      await page.reload()
      await applicant.heading('password.heading')
      const left = Number(/(\d+)\ss$/.exec((await waiting.textContent()) ?? '')?.[1])
      expect(left).toBeGreaterThan(0)
      expect(left).toBeLessThanOrEqual(14)
      await button('password.resend').click()
      await page.getByRole('button', { name: / 1\d s$/ }).waitFor()
      await expect.poll(() => fixture.portal().codeFor('237671000123')).not.toBe(first)
      await context.close()
    },
  )
})

describe('an expired code', () => {
  const fixture = startBrowserFixture({ OTP_TTL_SECONDS: '2' })

  it.runIf(isFullRun).each(testedLanguages)(
    'leads back to the contact page with the number filled in, in %s (ERR02)',
    async language => {
      const { page, context, applicant } = await fixture.openWelcome(language)
      const { t, named, button } = applicant
      const number = language === 'fr' ? '671000141' : '671000142'
      await page.goto('/mobile')
      await named('phoneNumber').fill(number)
      await button('button.continue').click()
      await applicant.heading('password.heading')
      const code = await fixture.portal().codeFor(`237${number}`)
      // The button has this text when the countdown is over. The server made the code before the countdown began, so the
      // code has expired then, and the server calls every code expired, also a wrong one.
      await button('password.resend').waitFor()
      await named('otp').fill(code === '000000' ? '000001' : '000000')
      await button('button.continue').click()
      await applicant.heading('mobile.heading')
      await page.getByText(t('notice.codeExpired')).first().waitFor()
      const filledIn = async () => (await named('phoneNumber').inputValue()).replaceAll(' ', '')
      await expect.poll(filledIn).toBe(number)
      await context.close()
    },
  )
})

describe('an inactive applicant', () => {
  it.each(testedLanguages)(
    'is warned for a minute, may stay, and is logged out with a notice, in %s (SES07, SES08, SES10, SES11, NAV17, ERR27, I1830)',
    async language => {
      const { page, context, applicant } = await sharedFixture.openWelcome(language)
      const { t } = applicant
      await page.clock.install()
      await applicant.signInByEmail(`endormi.${language}@example.cm`)
      await applicant.startApplication()
      await applicant.named('travelDestination').fill('Bangui')
      await page.getByText(t('form.onServer')).waitFor()
      await stopClock(page)
      await page.clock.fastForward(545_000)
      const warning = page.getByRole('alertdialog', { name: t('idle.heading') })
      await warning.waitFor()
      await warning.getByRole('button', { name: t('idle.stay') }).click()
      await warning.waitFor({ state: 'hidden' })
      await page.clock.fastForward(545_000)
      await warning.waitFor()
      await page.clock.fastForward(61_000)
      await applicant.heading('welcome.heading')
      await page.getByText(t('notice.loggedOutIdle')).first().waitFor()
      await context.close()
    },
  )
})
