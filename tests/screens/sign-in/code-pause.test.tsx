// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'

let portal: Portal
afterEach(() => portal.close())

const t = textsOf('fr')
const number = '671234567'
const wait = (seconds: number) => ({ json: { statusCode: 9, data: { statusCode: 9, seconds } } })
const wrong = (statusCode: 1 | 2, triesLeft: number) => ({
  status: 400,
  json: { statusCode, data: { statusCode, triesLeft } },
})
const sent = { json: { data: { statusCode: 0 } } }
const lost = { status: 502, json: undefined }

/** The page of the number, before a server that answers each call as told, one after the other. */
async function open(answers: { auth: object[]; login?: object[] }) {
  const left = { auth: [...answers.auth], login: [...(answers.login ?? [])] }
  portal = await openPortal({
    path: '/mobile',
    answer({ url }) {
      if (url.includes('/version')) return { json: { data: { version: '1', otpTtl: 60, features: [] } } }
      if (url.includes('/auth')) return left.auth.shift()
      if (url.includes('/login')) return left.login.shift()
      return undefined
    },
  })
  await portal.heading(t('mobile.heading'))
  portal.type('phoneNumber', number)
  await proceed()
}

async function proceed() {
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
  await proceed()
}

function timesAsked(): number {
  return portal.asked.filter(({ url }) => url.includes('/auth')).length
}

const says = (text: string) => portal.see(() => expect(portal.main().textContent).toContain(text))

describe('Back and Continue within the pause between two codes', () => {
  it('lead to the page of the code that was sent, and its countdown goes on', async () => {
    await open({ auth: [sent] })
    await portal.heading(t('password.heading'))
    await portal.device.advance(20_000)
    await goBack()
    await proceed()
    await portal.heading(t('password.heading'))
    await says(t('password.resendIn', { seconds: 40 }))
    expect(timesAsked()).toBe(1)
  })

  it('ask for a code to another number, and for another code once the pause is over', async () => {
    await open({ auth: [sent, sent, sent] })
    await goBack()
    portal.type('phoneNumber', '671234568')
    await proceed()
    await goBack()
    expect(timesAsked()).toBe(2)
    await portal.device.advance(60_000)
    await proceed()
    await portal.heading(t('password.heading'))
    expect(timesAsked()).toBe(3)
  })

  it('lead there too when the answer was lost on the line', async () => {
    await open({ auth: [lost, wait(55)] })
    await portal.see(() => expect(timesAsked()).toBe(1))
    await proceed()
    await portal.heading(t('password.heading'))
  })
})

describe('a code that cannot be had yet', () => {
  it('is counted down to without a puzzle, and Continue asks again (SIG12, D20)', async () => {
    await open({ auth: [wait(42), sent] })
    await says(t('captcha.justAsked'))
    await says('dans 42 s.')
    expect(portal.main().textContent).not.toContain(t('captcha.start'))
    await portal.device.advance(42_000)
    await says(t('captcha.waitOver'))
    await proceed()
    await portal.heading(t('password.heading'))
    expect(portal.asked.some(({ url }) => url.includes('/getSiteKey'))).toBe(false)
  })

  it.each([
    [61, 'dans 2 min.'],
    [3_000, 'dans 50 min.'],
    [40_000, 'dans 12 h.'],
  ])('for %i s is one too many (D20)', async (seconds, left) => {
    await open({ auth: [wait(seconds)] })
    await says(t('captcha.tooMany'))
    await says(left)
  })
})

describe('wrong codes', () => {
  it('warn before the last try, end the code in words of its own, and the next one is counted down to (ERR01, ERR02, D21)', async () => {
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
    await proceed()
    await says('dans 50 s.')
    await portal.device.advance(50_000)
    await proceed()
    await portal.heading(t('password.heading'))
    expect(timesAsked()).toBe(3)
  })

  it('that are an older code leave the newer one to be typed (D21)', async () => {
    await open({ auth: [sent], login: [wrong(2, 4)] })
    await portal.heading(t('password.heading'))
    await tryCode()
    await portal.heading(t('mobile.heading'))
    await proceed()
    await portal.heading(t('password.heading'))
    expect(timesAsked()).toBe(1)
  })
})
