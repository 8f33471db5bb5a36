// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { type Language, languages } from '#contract/codes.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'

let portal: Portal
afterEach(() => portal.close())

let t = textsOf('fr')
const number = '671234567'
const wait = (seconds: number) => ({ json: { statusCode: 9, data: { statusCode: 9, seconds } } })
const wrong = (statusCode: 1 | 2, triesLeft: number) => ({
  status: 400,
  json: { statusCode, data: { statusCode, triesLeft } },
})
const sent = { json: { data: { statusCode: 0 } } }
const lost = { status: 502, json: undefined }

/** Requests a code on the page for the phone number. The server answers `/auth` and `/login` with these, in order. */
async function open(answers: { auth: object[]; login?: object[] }, language: Language = 'fr') {
  t = textsOf(language)
  const remaining = { auth: [...answers.auth], login: [...(answers.login ?? [])] }
  portal = await openPortal({
    path: '/mobile',
    language,
    answer({ url }) {
      if (url.includes('/version')) return { json: { data: { version: '1', otpTtl: 60, features: [] } } }
      if (url.includes('/auth')) return remaining.auth.shift()
      if (url.includes('/login')) return remaining.login.shift()
      return undefined
    },
  })
  await portal.heading(t('mobile.heading'))
  portal.type('phoneNumber', number)
  await pressContinue()
}

async function pressContinue() {
  await portal.see(() => expect(portal.button(t('button.continue')).getAttribute('aria-disabled')).toBeNull())
  portal.button(t('button.continue')).click()
}

async function goBack() {
  await portal.heading(t('password.heading'))
  portal.button(t('button.back')).click()
  await portal.heading(t('mobile.heading'))
}

async function tryCode() {
  portal.type('otp', '111111')
  await pressContinue()
}

function codeRequestCount(): number {
  return portal.requests.filter(({ url }) => url.includes('/auth')).length
}

const seeText = (text: string) => portal.see(() => expect(portal.main().textContent).toContain(text))

describe('Back and Continue during the pause between two codes', () => {
  it('open the page of the sent code, whose countdown continues', async () => {
    await open({ auth: [sent] })
    await portal.heading(t('password.heading'))
    await portal.device.advance(20_000)
    await goBack()
    await pressContinue()
    await portal.heading(t('password.heading'))
    await seeText(t('password.resendIn', { seconds: 40 }))
    expect(codeRequestCount()).toBe(1)
  })

  it('request a code for another number, and a new code after the pause', async () => {
    await open({ auth: [sent, sent, sent] })
    await goBack()
    portal.type('phoneNumber', '671234568')
    await pressContinue()
    await goBack()
    expect(codeRequestCount()).toBe(2)
    await portal.device.advance(60_000)
    await pressContinue()
    await portal.heading(t('password.heading'))
    expect(codeRequestCount()).toBe(3)
  })

  it('open the page of the code also when the response was lost', async () => {
    await open({ auth: [lost, wait(55)] })
    await portal.see(() => expect(codeRequestCount()).toBe(1))
    await pressContinue()
    await portal.heading(t('password.heading'))
  })
})

describe('a wait until the next code', () => {
  it('shows a countdown without a captcha, and Continue requests the code again (SIG12, D20)', async () => {
    await open({ auth: [wait(42), sent] })
    await seeText(t('captcha.justAsked'))
    await seeText('dans 42\u00A0s.')
    expect(portal.main().textContent).not.toContain(t('captcha.start'))
    await portal.device.advance(42_000)
    await seeText(t('captcha.waitOver'))
    // This text says "a moment ago", which is not true any more.
    expect(portal.main().textContent).not.toContain(t('captcha.justAsked'))
    await pressContinue()
    await portal.heading(t('password.heading'))
    expect(portal.requests.some(({ url }) => url.includes('/getSiteKey'))).toBe(false)
  })

  it.each([
    [61, 'dans 2\u00A0min.'],
    [3_000, 'dans 50\u00A0min.'],
    [40_000, 'dans 12\u00A0h.'],
  ])('of %i s reports too many codes (D20)', async (seconds, left) => {
    await open({ auth: [wait(seconds)] })
    await seeText(t('captcha.tooMany'))
    await seeText(left)
  })
})

describe('a code that the server refuses', () => {
  it.each(
    languages.flatMap(language =>
      (
        [
          [5, '5 s'],
          [60, '60 s'],
          [121, '3 min'],
          [3_600, '60 min'],
          [40_000, '12 h'],
        ] as const
      ).map(([seconds, left]) => [language, seconds, left] as const),
    ),
  )(
    'keeps the page, and says in %s that the next try must wait: %i s, as %s (D125)',
    async (language, seconds, left) => {
      const tooSoon = {
        status: 429,
        headers: { 'retry-after': String(seconds) },
        json: { statusCode: 429, reason: 'too-many-requests', message: 'no', data: { seconds } },
      }
      await open({ auth: [sent], login: [tooSoon] }, language)
      await portal.heading(t('password.heading'))
      await tryCode()
      const before = { fr: 'dans', en: 'in' }
      await portal.see(() =>
        expect(document.body.textContent.replaceAll('\u00A0', ' ')).toContain(`${before[language]} ${left}.`),
      )
      expect(portal.main().textContent).toContain(t('password.heading'))
    },
  )

  it('warns before the last try, reports a spent code, and shows the countdown to the next one (ERR01, ERR02, D21)', async () => {
    await open({ auth: [sent, wait(50), sent], login: [wrong(1, 2), wrong(1, 1), wrong(1, 0), wrong(2, 0)] })
    await portal.heading(t('password.heading'))
    for (const key of ['notice.codeWrong', 'password.lastTry', 'password.spent'] as const) {
      await tryCode()
      await portal.see(() => expect(portal.fault('otp')).toContain(t(key)))
    }
    expect(portal.main().textContent).toContain(t('password.heading'))
    await tryCode()
    await portal.heading(t('mobile.heading'))
    expect(portal.named('phoneNumber').value.replaceAll(' ', '')).toBe(number)
    await pressContinue()
    await seeText('dans 50\u00A0s.')
    await portal.device.advance(50_000)
    await pressContinue()
    await portal.heading(t('password.heading'))
    expect(codeRequestCount()).toBe(3)
  })

  it('leaves the newer code valid when the applicant has typed the older one (D21)', async () => {
    await open({ auth: [sent], login: [wrong(2, 4)] })
    await portal.heading(t('password.heading'))
    await tryCode()
    await portal.heading(t('mobile.heading'))
    await pressContinue()
    await portal.heading(t('password.heading'))
    expect(codeRequestCount()).toBe(1)
  })
})
