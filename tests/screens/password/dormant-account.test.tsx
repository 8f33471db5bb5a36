// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Language, languages } from '#contract/codes.ts'
import { dormantTriesPerPeriod, dormantPeriodDays } from '#contract/dormant.ts'
import { busyAnswer } from '#support/data/busy-answer.ts'
import { makeToken } from '#support/data/access-token.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { type FakeRequest, holdAnswer } from '#support/providers/fake-fetch.ts'
import { settle } from '#support/settle.ts'

let portal: Portal
afterEach(() => portal.close())

const question = { ticket: 'a-ticket', proven: 'phone' }
const dormant = { status: 409, json: { statusCode: 409, reason: 'account-dormant', data: question } }
const signedIn = {
  json: { data: { token: makeToken({ applicantId: 'applicant-1' }), applicantId: 'applicant-1' } },
}

/** Opens the page of the code for a number that was not used for a year, and types a right code. */
async function openCodePage(language: Language, answers: object[]) {
  const left = [...answers]
  portal = await openPortal({
    path: '/mobile',
    language,
    applicant: 'applicant-1',
    answer({ url }) {
      if (url.includes('/login/dormant/code')) return { json: { data: { statusCode: 0 } } }
      if (url.includes('/login/dormant')) return left.shift()
      if (url.includes('/login')) return dormant
      if (url.includes('/version')) return { json: { data: { version: '1', otpTtl: 60 } } }
      if (url.includes('/auth')) return { json: { data: { statusCode: 0 } } }
      return undefined
    },
  })
  const t = textsOf(language)
  await portal.heading(t('mobile.heading'))
  portal.type('phoneNumber', '671234567')
  portal.button(t('button.continue')).click()
  await portal.heading(t('password.heading'))
  portal.type('otp', '123456')
  return t
}

async function openQuestion(language: Language, answers: object[]) {
  const t = await openCodePage(language, answers)
  portal.button(t('button.continue')).click()
  await portal.heading(t('dormant.heading'))
  return t
}

function choose(way: 'application' | 'contact' | 'start-again') {
  portal.main().querySelector<HTMLInputElement>(`[name="dormantWay"][value="${way}"]`)?.click()
}

function requestsTo(call: string): FakeRequest[] {
  return portal.requests.filter(({ url }) => url.includes(call))
}

describe.each(languages)('the question of an account that was not used for a year, in %s', language => {
  it('says only that it may have sent a code to the other contact, and signs in with that code (SIG16)', async () => {
    const wrong = { status: 400, json: { statusCode: 1, reason: 'code-wrong', data: { triesLeft: 1 } } }
    const t = await openQuestion(language, [wrong, signedIn])
    choose('contact')
    await portal.see(() => void portal.button(t('button.continue')))
    portal.type('email', 'awa@example.cm')
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(portal.main().textContent).toContain(t('dormant.sent.email')))
    expect(document.body.textContent).not.toContain(t('notice.codeSentEmail'))
    portal.type('otp', '000000')
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(portal.main().textContent).toContain(t('password.lastTry')))
    portal.type('otp', '654321')
    portal.button(t('button.continue')).click()
    await portal.heading(t('procedure.heading'))
    expect(requestsTo('/login/dormant/code')[0]?.body).toMatchObject({
      ticket: 'a-ticket',
      email: 'awa@example.cm',
    })
    expect(requestsTo('/login/dormant').at(-1)?.body).toEqual({
      ticket: 'a-ticket',
      answer: { kind: 'contact', msisdn: '', email: 'awa@example.cm', otp: '654321' },
    })
  })

  it('offers a new code for the other contact when its last code has no try left (SIG16)', async () => {
    const spent = { status: 400, json: { statusCode: 1, reason: 'code-wrong', data: { triesLeft: 0 } } }
    const t = await openQuestion(language, [spent])
    choose('contact')
    await portal.see(() => void portal.button(t('button.continue')))
    portal.type('email', 'awa@example.cm')
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(portal.main().textContent).toContain(t('dormant.sent.email')))
    portal.type('otp', '000000')
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(portal.named('email')).toBeTruthy())
    expect(document.body.textContent).toContain(t('password.spent'))
  })

  it('says when no try with an application is left today (SIG15)', async () => {
    const spent = { status: 409, json: { statusCode: 409, reason: 'answer-wrong', data: { triesLeft: 0 } } }
    const t = await openQuestion(language, [spent])
    choose('application')
    await portal.see(() => void portal.button(t('button.continue')))
    portal.type('applicationNumber', 'PP-2026-000012-1')
    portal.type('birthYear', '1990')
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(portal.main().textContent).toContain(t('dormant.noTryToday')))
    // The page names the other ways and the office.
    const named =
      language === 'fr'
        ? ['votre autre numéro ou adresse', 'nouveau compte', 'bureau']
        : ['your other number or address', 'new account', 'office']
    for (const word of named) expect(t('dormant.noTryToday')).toContain(word)
  })

  it('says how to go on when no try with an application is left for months (SIG15)', async () => {
    const data = { triesLeft: 0, spent: 'period' }
    const t = await openQuestion(language, [
      { status: 409, json: { statusCode: 409, reason: 'answer-wrong', data } },
    ])
    choose('application')
    await portal.see(() => void portal.button(t('button.continue')))
    portal.type('applicationNumber', 'PP-2026-000012-1')
    portal.type('birthYear', '1990')
    portal.button(t('button.continue')).click()
    const text = t('dormant.noTryInPeriod', { tries: dormantTriesPerPeriod, days: dormantPeriodDays })
    await portal.see(() => expect(portal.main().textContent).toContain(text))
  })

  it('says that something went wrong when the server refuses the answer for a reason that the page does not know (SIG15)', async () => {
    const t = await openQuestion(language, [{ status: 422, json: { statusCode: 422 } }])
    choose('application')
    await portal.see(() => void portal.button(t('button.continue')))
    portal.type('applicationNumber', 'PP-2026-000012-1')
    portal.type('birthYear', '1990')
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(document.body.textContent).toContain(t('notice.generic')))
  })

  it('says that something went wrong when the question does not load, and asks it after the next press (SIG14)', async () => {
    const t = await openCodePage(language, [])
    const load = vi.spyOn(portal.language, 'loadMessages').mockRejectedValue(new Error('no such file'))
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(document.body.textContent).toContain(t('notice.generic')))
    load.mockRestore()
    portal.button(t('button.continue')).click()
    await portal.heading(t('dormant.heading'))
  })

  it('opens the sign-in page, which says that the code has expired, when the question has expired (SIG14)', async () => {
    const expired = { status: 400, json: { statusCode: 2, reason: 'code-expired', data: { triesLeft: 0 } } }
    const t = await openQuestion(language, [expired])
    choose('start-again')
    await portal.see(() => portal.button(t('dormant.startAgainButton')).click())
    await portal.heading(t('mobile.heading'))
    expect(document.body.textContent).toContain(t('notice.codeExpired'))
  })

  it('stays away from the page of the number when the answer comes after the applicant has left the question (D137)', async () => {
    const answer = holdAnswer()
    const expired = { status: 400, json: { statusCode: 2, reason: 'code-expired', data: { triesLeft: 0 } } }
    const t = await openQuestion(language, [answer.hold(expired)])
    choose('start-again')
    await portal.see(() => portal.button(t('dormant.startAgainButton')).click())
    await portal.see(() => expect(requestsTo('/login/dormant')).toHaveLength(1))
    await portal.services.navigation.go('/help')
    answer.release()
    await settle()
    expect(location.pathname).toBe('/help')
    expect(document.body.textContent).not.toContain(t('notice.codeExpired'))
  })
})

it('does not leave the earlier account when the server is busy and the applicant chooses another way (SIG17, D92)', async () => {
  const t = await openQuestion('fr', [await busyAnswer(), signedIn])
  choose('start-again')
  await portal.see(() => portal.button(t('dormant.startAgainButton')).click())
  await portal.see(() => expect(requestsTo('/login/dormant')).toHaveLength(1))
  await settle()
  choose('application')
  await portal.device.advance(60_000)
  await settle()
  expect(requestsTo('/login/dormant')).toHaveLength(1)
})

it.each([
  ['says that the question has expired', { status: 400, json: { statusCode: 2, reason: 'code-expired' } }],
  ['signs in', signedIn],
])(
  'leaves the applicant on the page that they opened when the answer %s (D122, D137)',
  async (_name, answer) => {
    const held = holdAnswer()
    const t = await openQuestion('fr', [held.hold(answer)])
    choose('start-again')
    await portal.see(() => portal.button(t('dormant.startAgainButton')).click())
    await portal.see(() => expect(requestsTo('/login/dormant')).toHaveLength(1))
    await portal.services.navigation.go('/help')
    await portal.heading(t('help.heading'))
    held.release()
    await settle()
    expect(location.pathname).toBe('/help')
  },
)
