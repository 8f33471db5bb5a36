// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { idempotencyHeader } from '#contract/codes.ts'
import { makeToken } from '#support/data/access-token.ts'
import { busyAnswer } from '#support/data/busy-answer.ts'
import { openPortal, type Portal, type PortalOptions } from '#support/fixtures/open-portal.tsx'
import { type Key, textsOf } from '#support/data/texts.ts'
import { holdAnswer } from '#support/providers/fake-fetch.ts'
import { settle } from '#support/settle.ts'

const t = textsOf('fr')
const both = { msisdn: '237671234567', email: 'awa@example.cm' }
const account = {
  contacts: [
    { kind: 'phone', start: '+237 6', end: '67' },
    { kind: 'email', start: 'a', end: '@example.cm' },
  ],
  sessions: [],
  events: [],
}
const version = {
  version: '1',
  time: '2026-06-15T09:00:00Z',
  features: ['account', 'contacts', 'deleteAccount'],
}
/** The version of a server without the feature `account`: no proof comes before a second contact. */
const onlyContacts = { json: { data: { ...version, features: ['contacts'] } } }
const sent = { json: { data: { statusCode: 0 } } }
const wait = (seconds: number) => ({ json: { statusCode: 9, data: { statusCode: 9, seconds } } })
const spent = { status: 400, json: { statusCode: 1, reason: 'code-wrong', data: { triesLeft: 0 } } }
let portal: Portal

afterEach(async () => {
  vi.restoreAllMocks()
  await portal.close()
})

async function open(claims: Record<string, unknown>, answer?: PortalOptions['answer']) {
  portal = await openPortal({
    path: '/account',
    claims,
    answer(request) {
      const given = answer?.(request)
      if (given) return given
      const path = new URL(request.url, 'http://portal.test').pathname
      if (path.endsWith('/version')) return { json: { data: version } }
      if (path.endsWith('/account')) return { json: { data: account } }
      return undefined
    },
  })
  await portal.see(() => expect(portal.main().textContent).toContain(t('account.contacts')))
}

/** Presses a button as the keyboard does: it has the focus. */
async function press(label: string) {
  const button = await portal.see(() => portal.button(label))
  button.focus()
  button.click()
}

/**
 * On the page of the code: requests it again. The server demands a wait of 42 s at the second request, and sends the code at
 * the third.
 */
async function expectResend(answersLeft: readonly object[]) {
  await portal.see(() => portal.button(t('password.resendIn', { seconds: 60 })))
  await portal.device.advance(60_000)
  await press(t('password.resend'))
  await portal.see(() => expect(portal.main().textContent).toContain(t('captcha.justAsked')))
  await portal.device.advance(42_000)
  await press(t('password.resend'))
  const waiting = await portal.see(() => portal.button(t('password.resendIn', { seconds: 60 })))
  expect(document.activeElement).toBe(waiting)
  expect([waiting.disabled, waiting.getAttribute('aria-disabled')]).toEqual([false, 'true'])
  waiting.click()
  expect(portal.main().textContent).not.toContain(t('captcha.waitOver'))
  expect(portal.named('otp').value).toBe('')
  expect(answersLeft).toEqual([])
}

const labels = () => [...portal.main().querySelectorAll('button')].map(({ textContent }) => textContent)

describe('the advice to log out other devices', () => {
  const at = '2026-06-15T09:00:00Z'
  const session = { id: 'session-1', isThis: true, startedAt: at, lastUsedAt: at }
  const events = [{ kind: 'signed-in', at }]

  it.each([
    [false, [session]],
    [true, [session, { ...session, id: 'session-2', isThis: false }]],
  ])('is given only when there are others: %s (D111)', async (expected, sessions) => {
    await open(both, ({ url }) =>
      url.endsWith('/account') ? { json: { data: { ...account, sessions, events } } } : undefined,
    )
    await portal.see(() => expect(portal.main().textContent).toContain(t('account.event.signed-in')))
    for (const advice of ['account.sessionsWhy', 'account.eventsWhy', 'account.endOthers'] as const)
      expect(portal.main().textContent.includes(t(advice)), advice).toBe(expected)
  })
})

describe('the end of another session', () => {
  const at = '2026-06-15T09:00:00Z'
  const own = { id: 'session-1', isThis: true, startedAt: at, lastUsedAt: at }
  const other = { ...own, id: '6f1c1c52-7d0a-4d5e-9a64-0d1d0a4f3c11', isThis: false }
  const label = t('account.endSession', { number: 1 })

  /** Opens the page with another session, and presses the button that ends it. The server answers this call with `answer`. */
  async function end(answer: { status?: number; json: unknown }) {
    let sessions = [own, other]
    await open(both, ({ url, method }) => {
      if (url.endsWith('/account')) return { json: { data: { ...account, sessions } } }
      if (method === 'GET' || !url.includes('/sessions')) return undefined
      if (answer.status === undefined) sessions = [own]
      return answer
    })
    await press(label)
  }

  it('leaves the focus on its button when the server refuses it (NAV31)', async () => {
    await end({ status: 404, json: { statusCode: 404 } })
    await portal.see(() => expect(portal.notices.state().last?.message).toEqual({ key: 'notice.generic' }))
    expect(document.activeElement?.textContent).toBe(label)
  })

  it('gives the focus to the heading when its button goes (NAV31)', async () => {
    await end({ json: {} })
    await portal.see(() => expect(labels()).not.toContain(label))
    expect(document.activeElement?.id).toBe('heading')
  })

  it('is requested for all others with a new key when one more was opened after the answer to the first request was lost (D13, NAV31)', async () => {
    let sessions = [own, other]
    await open(both, ({ url }) => {
      if (url.endsWith('/account')) return { json: { data: { ...account, sessions } } }
      if (!url.includes('/sessions/end-others')) return undefined
      // The server has ended the other session. A stranger signs in before the next press.
      const isFirst = sessions.includes(other)
      sessions = [own, { ...other, id: '0c2f4c10-5d7b-4a0e-8d8e-6d7e0f1a2b3c' }]
      return isFirst ? 'no connection' : { json: {} }
    })
    await press(t('account.endOthers'))
    await portal.see(() => expect(endKeys()).toHaveLength(1))
    await portal.see(() => expect(countReads()).toBe(2))
    await settle()
    await press(t('account.endOthers'))
    await portal.see(() => expect(endKeys()).toHaveLength(2))
    expect(endKeys()[1], 'the server would repeat its answer to the same key').not.toBe(endKeys()[0])
  })
})

describe('the removal of a contact', () => {
  it('is offered for each of two contacts, whose middle is hidden, and gives the focus back on Cancel (D70)', async () => {
    await open(both)
    expect(portal.main().textContent).toContain('+237\u00A06\u00A0•••\u00A067')
    expect(portal.main().textContent).toContain('a•••@example.cm')
    expect(labels()).toEqual(expect.arrayContaining([t('account.remove.phone'), t('account.remove.email')]))
    portal.button(t('account.remove.phone')).click()
    await portal.see(() => portal.button(t('button.cancel')).click())
    await portal.see(() => expect(document.activeElement?.textContent).toBe(t('account.remove.phone')))
  })

  it('is not offered when this session does not know the contact that would prove it (D70)', async () => {
    await open({ ...both, email: null })
    expect(labels()).not.toContain(t('account.remove.phone'))
    expect(labels()).toContain(t('account.remove.email'))
  })

  it('offers a new code when the last one is spent (D70)', async () => {
    await open(both, ({ url }) => {
      if (url.includes('/account/proof/confirm')) return spent
      return url.includes('/account/proof') ? sent : undefined
    })
    portal.button(t('account.remove.email')).click()
    await portal.see(() => portal.button(t('button.continue')).click())
    await portal.see(() => portal.type('otp', '000000'))
    // The button that enters the code names what follows.
    portal.button(t('account.remove.email')).click()
    await portal.see(() => expect(portal.main().textContent).toContain(t('account.removal.email')))
    expect(document.body.textContent).toContain(t('password.spent'))
  })

  it('reads the contacts again also when the new token cannot be read (D70)', async () => {
    let { contacts } = account
    await open(both, ({ url }) => {
      if (url.endsWith('/account')) return { json: { data: { ...account, contacts } } }
      if (url.includes('/account/proof')) return { json: { data: { statusCode: 0 } } }
      if (!url.includes('/contacts/remove')) return undefined
      contacts = contacts.slice(0, 1)
      return { json: { data: { token: 'unreadable' } } }
    })
    await press(t('account.remove.email'))
    await press(t('button.continue'))
    await portal.see(() => portal.type('otp', '123456'))
    await press(t('account.remove.email'))
    await portal.see(() => expect(portal.main().textContent).not.toContain(t('account.kind.email')))
    expect(portal.notices.state().last?.message).toEqual({ key: 'notice.contactRemoved' })
    expect(document.activeElement?.id).toBe('heading')
  })

  it('sends the code of the proof again after the countdown, and shows a wait that the server demands (D70, OTP05, OTP06)', async () => {
    const answers = [sent, wait(42), sent]
    await open(both, ({ url }) => (url.includes('/account/proof') ? answers.shift() : undefined))
    portal.button(t('account.remove.email')).click()
    await portal.see(() => portal.button(t('button.continue')).click())
    await expectResend(answers)
  })
})

describe('a second contact', () => {
  const phoneOnly = { ...both, email: null }

  /** Opens the form for the second contact, as a press with the keyboard does. `codeAnswer`: to each request for a code. */
  async function openForm(codeAnswer: () => ReturnType<NonNullable<PortalOptions['answer']>> = () => sent) {
    await open(phoneOnly, ({ url }) => {
      if (url.endsWith('/version')) return onlyContacts
      if (url.includes('/contacts/confirm')) return spent
      return url.includes('/contacts') ? codeAnswer() : undefined
    })
    await press(t('procedure.addEmail'))
    await portal.see(() => expect(document.activeElement?.getAttribute('name')).toBe('email'))
  }

  it('gets its code again after the countdown, and shows a wait that the server demands (D70, OTP05, OTP06)', async () => {
    const answers = [sent, wait(42), sent]
    await openForm(() => answers.shift())
    portal.type('email', 'awa@example.cm')
    await press(t('button.continue'))
    await expectResend(answers)
  })

  it('gives the focus to the heading on Cancel (D70)', async () => {
    await openForm()
    await press(t('button.cancel'))
    await portal.see(() => portal.button(t('procedure.addEmail')))
    expect(document.activeElement?.id).toBe('heading')
  })

  it('gives the focus to the field of the contact when the code is spent, and to the heading on Cancel (D70)', async () => {
    await openForm()
    portal.type('email', 'awa@example.cm')
    await press(t('button.continue'))
    await portal.see(() => expect(document.activeElement?.getAttribute('name')).toBe('otp'))
    portal.type('otp', '000000')
    await press(t('button.continue'))
    await portal.see(() => expect(document.activeElement?.getAttribute('name')).toBe('email'))
    expect(document.body.textContent).toContain(t('password.spent'))
    await press(t('button.cancel'))
    await portal.see(() => expect(document.activeElement?.id).toBe('heading'))
  })
})

describe('the button that keeps the account', () => {
  it('leaves the focus on the heading when it goes (D112)', async () => {
    await open({ ...both, deletesAt: '2026-06-20T09:00:00Z' }, ({ url }) => {
      const token = makeToken({ ...both, applicantId: portal.applicant })
      return url.includes('/account/keep') ? { json: { data: { token } } } : undefined
    })
    await press(t('account.keep'))
    await portal.see(() => expect(portal.main().textContent).not.toContain(t('account.leavingWhy')))
    expect(document.activeElement?.id).toBe('heading')
  })
})

describe('the deletion of the account', () => {
  it('gives the focus back to its button on Cancel (D112)', async () => {
    await open(both)
    await portal.see(() => portal.button(t('account.deleteButton')).click())
    await portal.see(() => portal.button(t('button.cancel')).click())
    await portal.see(() => expect(document.activeElement?.textContent).toBe(t('account.deleteButton')))
  })
})

describe('an action that a code proves', () => {
  it.each([
    ['the deletion of the account', 'account.deleteButton', 'account.delete'],
    ['the removal of a contact', 'account.remove.email', 'account.remove.email'],
  ] as const)(
    'is not sent when the applicant has pressed Cancel during the proof: %s (D137)',
    async (_, begin, label) => {
      const proof = holdAnswer()
      await open(both, ({ url }) => {
        if (url.includes('/account/proof/confirm')) return proof.hold({ json: {} })
        return url.includes('/account/proof') ? sent : undefined
      })
      await enterCode(begin, label)
      await portal.see(() => expect(proof.isHeld()).toBe(true))
      await press(t('button.cancel'))
      await portal.see(() => portal.button(t(begin)))
      proof.release()
      await settle()
      const writes = portal.requests.filter(({ method }) => method === 'POST').map(({ url }) => url)
      expect(writes.filter(url => !url.includes('/account/proof'))).toEqual([])
      expect(portal.services.session.state().kind).toBe('signed-in')
    },
  )

  it.each([
    ['the deletion of the account', 'account.deleteButton', 'account.delete', '/account/delete'],
    ['the removal of a contact', 'account.remove.email', 'account.remove.email', '/account/contacts/remove'],
  ] as const)(
    'is not sent again to a busy server after Cancel: %s (D92, D137)',
    async (_, begin, label, action) => {
      const busy = await busyAnswer()
      await open(both, ({ url }) => {
        if (url.includes('/account/proof/confirm')) return { json: {} }
        if (url.includes('/account/proof')) return sent
        return url.includes(action) ? busy : undefined
      })
      await enterCode(begin, label)
      const countSent = () => portal.requests.filter(({ url }) => url.includes(action)).length
      await expectNotSentAfterCancel(countSent, t(begin))
    },
  )
})

describe('the request for a code', () => {
  it.each([
    ['to prove a contact', both, 'account.remove.email', '/account/proof'],
    ['to a second contact', { ...both, email: null }, 'procedure.addEmail', '/contacts'],
  ] as const)(
    'is not sent again to a busy server after Cancel: %s (D92, D137)',
    async (_, claims, begin, path) => {
      const busy = await busyAnswer()
      await open(claims, ({ url }) => {
        if (url.endsWith('/version')) return onlyContacts
        return url.includes(path) ? busy : undefined
      })
      await press(t(begin))
      if (claims.email === null) await portal.see(() => portal.type('email', 'awa@example.cm'))
      await press(t('button.continue'))
      const countSent = () => portal.requests.filter(({ url }) => url.includes(path)).length
      await expectNotSentAfterCancel(countSent, t(begin))
    },
  )
})

describe('the code that proves a contact', () => {
  it('is not sent again to a busy server after Cancel (D92, D137)', async () => {
    const busy = await busyAnswer()
    await open(both, ({ url }) => {
      if (url.includes('/account/proof/confirm')) return busy
      return url.includes('/account/proof') ? sent : undefined
    })
    await enterCode('account.remove.email', 'account.remove.email')
    await expectNotSentAfterCancel(countProven, t('account.remove.email'))
  })
})

describe('the code of a second contact', () => {
  it('is not sent again to a busy server after Cancel (D92, D137)', async () => {
    const busy = await busyAnswer()
    await open({ ...both, email: null }, ({ url }) => {
      if (url.endsWith('/version')) return onlyContacts
      if (url.includes('/contacts/confirm')) return busy
      return url.includes('/contacts') ? sent : undefined
    })
    await press(t('procedure.addEmail'))
    await portal.see(() => portal.type('email', 'awa@example.cm'))
    await press(t('button.continue'))
    await portal.see(() => portal.type('otp', '123456'))
    await press(t('button.continue'))
    await expectNotSentAfterCancel(countConfirmed, t('procedure.addEmail'))
  })
})

describe('the downloads of the data', () => {
  it('say that one has failed also when the other one has succeeded later (D98)', async () => {
    const html = holdAnswer()
    const json = holdAnswer()
    await open(both, ({ url }) => {
      if (url.includes('format=html')) return html.hold({ status: 404, json: { statusCode: 404 } })
      const file = { name: 'data.json', type: 'application/json', text: '{}' }
      return url.includes('format=json') ? json.hold({ json: { data: file } }) : undefined
    })
    await press(t('account.dataAs.html'))
    await portal.see(() => expect(html.isHeld()).toBe(true))
    await press(t('account.dataAs.json'))
    await portal.see(() => expect(json.isHeld()).toBe(true))
    html.release()
    await portal.see(() => expect(portal.main().textContent).toContain(t('account.dataFailed')))
    json.release()
    await portal.see(() => expect(portal.device.downloads).toEqual(['data.json']))
    await settle()
    expect(portal.main().textContent).toContain(t('account.dataFailed'))
  })
})

describe('the activity', () => {
  it('has a row of its own for each event of one minute (D111)', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const events = [
      { at: '2026-06-15T08:59:40.000Z', kind: 'contact-added' },
      { at: '2026-06-15T08:59:10.000Z', kind: 'signed-in' },
    ]
    await open(both, ({ url }) =>
      url.endsWith('/account') ? { json: { data: { ...account, events } } } : undefined,
    )
    expect(portal.main().textContent).toContain(t('account.event.contact-added'))
    expect(portal.main().textContent).toContain(t('account.event.signed-in'))
    expect(error.mock.calls.flat().join(' ')).not.toContain('same key')
  })
})

/** Begins the action with one button, requests its code, types it and presses the button of the proof. */
async function enterCode(begin: Key, label: Key) {
  await press(t(begin))
  await press(t('button.continue'))
  await portal.see(() => portal.type('otp', '123456'))
  await press(t(label))
}

/** The idempotency keys of the requests that end all other sessions. */
function endKeys() {
  return portal.requests
    .filter(({ url }) => url.includes('/sessions/end-others'))
    .map(({ headers }) => headers.get(idempotencyHeader))
}

/** How often the page has read the account. */
function countReads(): number {
  return portal.requests.filter(({ url }) => url.endsWith('/account')).length
}

/** Cancels a call that a busy server has refused once, and lets a minute pass. `countSent` counts the requests of the call. */
async function expectNotSentAfterCancel(countSent: () => number, begin: string) {
  await portal.see(() => expect(countSent()).toBe(1))
  await settle()
  await press(t('button.cancel'))
  await portal.see(() => portal.button(begin))
  await portal.device.advance(60_000)
  await settle()
  expect(countSent()).toBe(1)
}

/** How often the page has sent the code that proves a contact. */
function countProven(): number {
  return portal.requests.filter(({ url }) => url.includes('/account/proof/confirm')).length
}

/** How often the page has sent the code of a second contact. */
function countConfirmed(): number {
  return portal.requests.filter(({ url }) => url.includes('/contacts/confirm')).length
}
