import { describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { defaultLanguage, languages } from '#contract/codes.ts'
import { isFull } from '#support/full.ts'
import { type Key } from '#support/words.ts'
import { walkThePortal } from '#support/walk.ts'

const captchaCodes = [3, 8, 9, 11, 12]
const auth = '**/api/v1/auth*'

async function answerAuth(page: Page, body: Record<string, unknown>, status = 200) {
  await page.route(auth, route => route.fulfill({ status, json: body }))
}

// The other language's words are the same keys; the long run walks them too.
describe.each(isFull ? languages : [defaultLanguage])('signing in, in %s', language => {
  const walk = walkThePortal()

  it('by phone: starts on Cameroon, has Back and Continue, and refuses a number in place (SIG01, SIG02, SIG03, S76, S53)', async () => {
    const { page, context, applicant } = await walk.meet(language)
    const { t, named, button } = applicant
    await page.goto('/mobile')
    expect(await named('dialCode').inputValue()).toBe('237')
    for (const wrong of ['', '6710']) {
      await named('phoneNumber').fill(wrong)
      await button('button.continue').click()
      await page.getByText(t('issue.not-valid')).first().waitFor()
      expect(await named('phoneNumber').getAttribute('aria-invalid')).toBe('true')
    }
    await button('button.back').click()
    await applicant.heading('welcome.heading')
    await context.close()
  })

  it('by e-mail: one field, Back and Continue, and an address refused in place (SIG06, SIG08, SIG09, S05, S76)', async () => {
    const { page, context, applicant } = await walk.meet(language)
    const { t, field, button } = applicant
    await page.goto('/mail')
    await applicant.heading('mail.heading')
    expect(await page.getByRole('main').getByRole('textbox').count()).toBe(1)
    for (const wrong of ['', 'nul', `${'a'.repeat(38)}@example.com`]) {
      await field('mail.address').fill(wrong)
      await button('button.continue').click()
      await page.getByText(t('issue.not-valid')).first().waitFor()
    }
    await field('mail.address').fill(`${'a'.repeat(37)} @example.com`)
    expect(await field('mail.address').inputValue()).toBe(`${'a'.repeat(37)}@example.com`)
    await button('button.continue').click()
    await applicant.heading('password.heading')
    await page.getByText(t('notice.codeSentEmail')).first().waitFor()
    await context.close()
  })

  it('shows a mistake once its field was left, takes it back while it is mended, and asks nothing of an empty field (SIG03, SIG08, S53)', async () => {
    const { page, context, applicant } = await walk.meet(language)
    const { t, named, field, button } = applicant
    const message = page.getByRole('main').getByText(t('issue.not-valid'))
    for (const [address, input, wrong, right] of [
      ['/mobile', named('phoneNumber'), '671', '671000125'],
      ['/mail', field('mail.address'), 'awa@', 'awa@example.cm'],
    ] as const) {
      await page.goto(address)
      await input.focus()
      await input.blur()
      await page.waitForTimeout(800)
      expect(await message.count()).toBe(0)
      await input.fill(wrong)
      await input.blur()
      await message.first().waitFor()
      expect(await input.getAttribute('aria-invalid')).toBe('true')
      await input.fill(right)
      await message.first().waitFor({ state: 'detached' })
      await input.blur()
      await page.waitForTimeout(800)
      expect(await message.count()).toBe(0)
      await button('button.continue').click()
      await applicant.heading('password.heading')
    }
    await context.close()
  })

  it('asks for the code where it went, hidden until shown, and not for an empty one (OTP01, OTP02, OTP03, OTP04, ERR05)', async () => {
    const { page, context, applicant } = await walk.meet(language)
    const { t, named, button } = applicant
    await page.goto('/mobile')
    await named('phoneNumber').fill('671 00 01 21')
    await button('button.continue').click()
    await applicant.heading('password.heading')
    await page.getByText(t('notice.codeSentPhone')).first().waitFor()
    await page
      .getByRole('main')
      .getByText(/237.*6.*71.*00.*01.*21/)
      .first()
      .waitFor()
    expect(await named('otp').getAttribute('type')).toBe('password')
    expect(await named('otp').getAttribute('autocomplete')).toBe('one-time-code')
    await button('button.show').click()
    expect(await named('otp').getAttribute('type')).toBe('text')
    await button('button.continue').click()
    await page.getByText(t('issue.code-empty')).first().waitFor()
    await button('button.back').click()
    await applicant.heading('mobile.heading')
    await context.close()
  })

  it('says that a code is wrong and keeps the page, then welcomes with the right one and loads the countries (ERR01, OTP08, OTP09, SES02)', async () => {
    const { page, context, applicant } = await walk.meet(language)
    const { t, named, button } = applicant
    const bearer: string[] = []
    page.on('request', request => {
      if (request.url().includes('/api/v1/') && request.headers()['authorization']) bearer.push(request.url())
    })
    await page.goto('/mobile')
    await named('phoneNumber').fill('671000122')
    await button('button.continue').click()
    await applicant.heading('password.heading')
    const right = await walk.portal().codeFor('237671000122')
    await named('otp').fill(right === '000000' ? '000001' : '000000')
    await button('button.continue').click()
    await page.getByText(t('notice.codeWrong')).first().waitFor()
    await applicant.heading('password.heading')
    expect(bearer).toEqual([])
    const countries = page.waitForRequest(request => request.url().includes('/api/v1/applications/countries'))
    await named('otp').fill(` ${right.slice(0, 3)} ${right.slice(3)} `)
    await button('button.continue').click()
    await applicant.heading('procedure.heading')
    await page.getByText(t('notice.welcome')).first().waitFor()
    expect((await countries).headers()['authorization']).toMatch(/^Bearer /)
    await context.close()
  })

  it.each([
    ['/mobile', 'notice.checkPhone', 'status'],
    ['/mail', 'notice.checkEmail', 'alert'],
  ] as const)(
    'on %s says that it failed, whatever unheard-of code the server gives (ERR03, ERR04, S36)',
    async (address, words, role) => {
      const { page, context, applicant } = await walk.meet(language)
      await page.goto(address)
      await answerAuth(page, { statusCode: 77 }, 400)
      await page
        .getByRole('main')
        .getByRole('textbox')
        .last()
        .fill(address === '/mail' ? 'a@example.cm' : '671000124')
      await applicant.button('button.continue').click()
      await page.getByRole(role).getByText(applicant.t(words)).waitFor()
      expect(new URL(page.url()).pathname).toBe(address)
      await context.close()
    },
  )

  it('shows a captcha in place of going on after each code that asks for one (SIG11, SIG12, S35)', async () => {
    const { page, context, applicant } = await walk.meet(language)
    for (const statusCode of captchaCodes) {
      await page.goto('/mail')
      await applicant.heading('mail.heading')
      expect(await page.getByText(applicant.t('captcha.heading')).count()).toBe(0)
      await answerAuth(page, { data: { statusCode } })
      await applicant.field('mail.address').fill('captcha@example.cm')
      await applicant.button('button.continue').click()
      await page.getByRole('heading', { name: applicant.t('captcha.heading') }).waitFor()
      expect(new URL(page.url()).pathname, String(statusCode)).toBe('/mail')
      await page.unroute(auth)
    }
    await context.close()
  })

  it('wants to know how, where the code page knows no address (ERR06, S65)', async () => {
    for (const press of ['password.resend', 'button.continue'] as const satisfies Key[]) {
      const { page, context, applicant } = await walk.meet(language)
      await page.goto('/password')
      await applicant.button(press).click()
      await page.getByText(applicant.t('notice.selectMethod')).first().waitFor()
      await applicant.heading('welcome.heading')
      await context.close()
    }
  })
})

describe('the real captcha', () => {
  const walk = walkThePortal({ NETWORK_CODES_PER_HOUR: '1', TRUSTED_PROXIES: 'loopback' })

  it('is solved on the page and lets the next code out (SIG12, SIG13, S46)', async () => {
    const { page, context, applicant } = await walk.meet('fr')
    const { t, named, button } = applicant
    // Somebody behind a shared address, as most phones are.
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
    await walk.portal().codeFor('237671000132')
    await context.close()
  })
})

describe('waiting for a code', () => {
  const walk = walkThePortal({ OTP_TTL_SECONDS: '8' })

  it('counts down to another one, through a reload, and from the start again after it (OTP05, OTP06, OTP07)', async () => {
    const { page, context, applicant } = await walk.meet('fr')
    const { t, named, button } = applicant
    await page.goto('/mobile')
    await named('phoneNumber').fill('671000123')
    await button('button.continue').click()
    await applicant.heading('password.heading')
    const first = await walk.portal().codeFor('237671000123')
    const waiting = page.getByRole('button', { name: / [1-8] s$/ })
    expect(await waiting.isDisabled()).toBe(true)
    await page.getByRole('button', { name: / [1-6] s$/ }).waitFor()
    await page.reload()
    await applicant.heading('password.heading')
    const left = Number(/(\d+) s$/.exec((await waiting.textContent()) ?? '')?.[1])
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThanOrEqual(6)
    await button('password.resend').click()
    await page.getByText(t('password.resendIn', { seconds: 8 })).waitFor()
    await expect.poll(() => walk.portal().codeFor('237671000123')).not.toBe(first)
    await context.close()
  })
})

describe('a code that came too late', () => {
  const walk = walkThePortal({ OTP_TTL_SECONDS: '2' })

  it.each(languages)(
    'leads back to where the number is, which is still there, in %s (ERR02)',
    async language => {
      const { page, context, applicant } = await walk.meet(language)
      const { t, named, button } = applicant
      const number = language === 'fr' ? '671000141' : '671000142'
      await page.goto('/mobile')
      await named('phoneNumber').fill(number)
      await button('button.continue').click()
      await applicant.heading('password.heading')
      const code = await walk.portal().codeFor(`237${number}`)
      // The code outlives its countdown, so that a late message still serves (D21); this one is later than that.
      await expect
        .poll(
          async () => {
            if (new URL(page.url()).pathname === '/mobile') return true
            await named('otp').fill(code === '000000' ? '000001' : '000000')
            await button('button.continue').click()
            await page.waitForTimeout(500)
            return new URL(page.url()).pathname === '/mobile'
          },
          { timeout: 60_000, interval: 1_000 },
        )
        .toBe(true)
      await page.getByText(t('notice.codeExpired')).first().waitFor()
      expect((await named('phoneNumber').inputValue()).replaceAll(' ', '')).toBe(number)
      await context.close()
    },
  )
})

describe('nobody there any more', () => {
  const walk = walkThePortal()

  it.each(languages)(
    'is warned for a minute, may stay, and is logged out with a word, in %s (SES07, SES08, SES10, SES11, NAV17, ERR27, I1830)',
    async language => {
      const { page, context, applicant } = await walk.meet(language)
      const { t } = applicant
      await page.clock.install()
      await applicant.signInByEmail(`endormi.${language}@example.cm`)
      await applicant.startApplication()
      await applicant.named('travelDestination').fill('Bangui')
      await page.getByText(t('form.kept')).waitFor()
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
