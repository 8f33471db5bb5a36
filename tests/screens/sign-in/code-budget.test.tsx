// @vitest-environment happy-dom
import { createChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { afterEach, describe, expect, it } from 'vitest'
import { type Language, languages } from '#contract/codes.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'
import { holdAnswer } from '#support/providers/fake-fetch.ts'

let portal: Portal
afterEach(() => portal.close())

const message = 'Utilisez une adresse e-mail.'

/** Opens the page for the phone number and requests a code. The server answers the request with `auth`. */
async function requestCode(
  language: Language,
  auth: object,
  challenge: () => object | undefined = () => undefined,
) {
  const t = textsOf(language)
  portal = await openPortal({
    path: '/mobile',
    language,
    answer({ url }) {
      if (url.includes('/version')) return { json: { data: { version: '1', otpTtl: 60, features: [] } } }
      if (url.includes('/getSiteKey'))
        return { json: { data: { provider: 'altcha', challengeUrl: '/api/v1/captcha/challenge' } } }
      if (url.includes('/captcha/challenge')) return challenge()
      return url.includes('/auth') ? auth : undefined
    },
  })
  await portal.heading(t('mobile.heading'))
  portal.type('phoneNumber', '671234567')
  portal.button(t('button.continue')).click()
  return t
}

/** A puzzle that is solved at once. */
function createPuzzle() {
  const algorithm = 'PBKDF2/SHA-256'
  return createChallenge({ algorithm, cost: 1, counter: 1, deriveKey, hmacSignatureSecret: 'puzzle' })
}

const seeText = (text: string) => portal.see(() => expect(document.body.textContent).toContain(text))

describe.each(languages)('the answers to a request for a code by phone, in %s', language => {
  it('keeps the page open and shows the message of the server when no SMS is left today (D91)', async () => {
    const t = await requestCode(language, {
      status: 409,
      json: { statusCode: 409, reason: 'sms-spent', message, data: { statusCode: 409 } },
    })
    await seeText(message)
    await portal.heading(t('mobile.heading'))
    expect(document.body.textContent).not.toContain(t('notice.checkPhone'))
  })

  it('shows the message of the server in place of the usual notice on the page of the code (D91)', async () => {
    const t = await requestCode(language, { json: { data: { statusCode: 0, message } } })
    await portal.heading(t('password.heading'))
    await seeText(message)
    expect(document.body.textContent).not.toContain(t('notice.codeSentPhone'))
  })

  it('shows the message of the server with the captcha that it demands (SIG12, S35)', async () => {
    const t = await requestCode(language, { json: { data: { statusCode: 9, message } } })
    await seeText(t('captcha.start'))
    await seeText(message)
    await portal.heading(t('mobile.heading'))
  })

  it('opens the page of the code when the server sends null for a message (S36, D67)', async () => {
    const t = await requestCode(language, { json: { data: { statusCode: 0, message: null } } })
    await portal.heading(t('password.heading'))
    await seeText(t('notice.codeSentPhone'))
  })

  it('requests a puzzle as hard as the server demands (D91)', async () => {
    const t = await requestCode(language, { json: { statusCode: 3, data: { statusCode: 3, work: 4 } } })
    await portal.see(() => portal.button(t('captcha.start')).click())
    await portal.see(() =>
      expect(portal.requests.some(({ url }) => url.endsWith('/captcha/challenge?work=4'))).toBe(true),
    )
  })

  it('moves the focus to the text that the captcha is done, because its start button is gone then (SIG12)', async () => {
    const json = await createPuzzle()
    const demand = { json: { statusCode: 3, data: { statusCode: 3 } } }
    const t = await requestCode(language, demand, () => ({ json }))
    await portal.see(() => portal.button(t('captcha.start')).focus())
    portal.button(t('captcha.start')).click()
    await seeText(t('captcha.done'))
    expect(document.activeElement?.textContent).toBe(t('captcha.done'))
  })

  it('says that the puzzle could not be loaded, and withdraws the notice of the service once it is solved (D24)', async () => {
    const puzzle = await createPuzzle()
    let isBroken = true
    const answer = () => (isBroken ? { status: 500, json: { statusCode: 500 } } : { json: puzzle })
    const t = await requestCode(language, { json: { statusCode: 3, data: { statusCode: 3 } } }, answer)
    await portal.see(() => portal.button(t('captcha.start')).click())
    await seeText(t('captcha.loadFailed'))
    await seeText(t('notice.serviceUnavailable'))
    expect(document.body.textContent).not.toContain(t('captcha.failed'))
    isBroken = false
    portal.button(t('captcha.start')).click()
    await seeText(t('captcha.done'))
    expect(document.body.textContent).not.toContain(t('notice.serviceUnavailable'))
  })
})

describe('a captcha that is solved after the applicant has left its page', () => {
  it('requests no code (D137)', async () => {
    const t = textsOf('fr')
    const puzzle = holdAnswer()
    const solved = { json: await createPuzzle() }
    const codes = [0, 3, 0]
    portal = await openPortal({
      path: '/mobile',
      answer({ url }) {
        if (url.includes('/version'))
          return { json: { data: { version: '1', otpTtl: 60, features: ['otherChannel'] } } }
        if (url.includes('/getSiteKey'))
          return { json: { data: { provider: 'altcha', challengeUrl: '/api/v1/captcha/challenge' } } }
        if (url.includes('/captcha/challenge')) return puzzle.hold(solved)
        return url.includes('/auth') ? { json: { data: { statusCode: codes.shift() } } } : undefined
      },
    })
    await portal.heading(t('mobile.heading'))
    portal.type('phoneNumber', '671234567')
    portal.button(t('button.continue')).click()
    await portal.heading(t('password.heading'))
    await portal.see(() => portal.button(t('password.byEmail')).click())
    await portal.see(() => portal.button(t('captcha.start')).click())
    await portal.see(() =>
      expect(portal.requests.some(({ url }) => url.includes('/captcha/challenge'))).toBe(true),
    )
    portal.button(t('button.back')).click()
    await portal.heading(t('mobile.heading'))
    puzzle.release()
    await new Promise(resolve => setTimeout(resolve, 500))
    expect(portal.requests.filter(({ url }) => url.includes('/auth'))).toHaveLength(2)
  })
})
