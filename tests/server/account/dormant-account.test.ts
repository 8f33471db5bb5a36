import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { type DormantAnswer, dormantTriesPerDay, dormantTriesPerPeriod } from '#contract/dormant.ts'
import { deleteExpiredRows } from '#server/features/deletion/delete-expired-rows.ts'
import { eraseAccounts } from '#server/features/deletion/erase-accounts.ts'
import { columnIsContact } from '#server/database/contact-values.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { subjectOf } from '#server/features/session/security-events.ts'
import { bodyOf, openBrowser, type SignedIn, signIn, type TestBrowser } from '#support/servers/api-client.ts'
import { forceRace } from '#support/servers/forced-race.ts'
import { openAccountWithBoth, proveContact } from '#support/servers/prove-contact.ts'
import { maxRepeats } from '#server/features/session/refresh.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { isFullRun, testedEngines } from '#support/test-tier.ts'

let server: TestServer
afterEach(() => server.close())

const phone = '237670000001'
const email = 'awa@example.cm'
const contactBody = { msisdn: phone, email: '' }
const start = '2026-03-10T11:00:00Z'
const daySeconds = 86_400
/** The 12 months before `start`: they have no 29 February. `advanceSeconds` makes the stored times older. */
const yearSeconds = 365 * daySeconds
const birth = {
  day: firstPassport.dayOfBirth,
  month: firstPassport.monthOfBirth,
  year: firstPassport.yearOfBirth,
}
const expired = { kind: 'failed', status: 400, failure: { reason: 'code-expired' } }
const wrong = (triesLeft: number) => ({
  kind: 'failed',
  status: 409,
  failure: { reason: 'answer-wrong', data: { triesLeft } },
})
const spent = (limit: 'day' | 'period') => ({
  ...wrong(0),
  failure: { reason: 'answer-wrong', data: { triesLeft: 0, spent: limit } },
})

/** An account with a confirmed application, without a sign-in for `seconds`. By default it is dormant. */
async function openUnused({
  seconds = yearSeconds + 1,
  hasEmail = false,
  ...settings
}: Parameters<typeof startTestServer>[0] & {
  seconds?: number
  hasEmail?: boolean
} = {}) {
  server = await startTestServer({ startsAt: start, offices: 'none', ...settings })
  const owner = hasEmail
    ? await openAccountWithBoth(server, { phone, email })
    : await signIn(server, { phone })
  const applicationNumber = await confirmApplication(owner)
  await server.advanceSeconds(seconds)
  return { owner, applicationNumber }
}

/** An account whose e-mail address signed in 200 days ago, and whose phone number 400 days ago. */
async function openWithLostPhone() {
  const opened = await openUnused({ hasEmail: true, seconds: 200 * daySeconds })
  await signIn(server, { email })
  await server.advanceSeconds(200 * daySeconds)
  return opened
}

async function confirmApplication(owner: Pick<SignedIn, 'call'>): Promise<string> {
  const { id, applicationNumber } = bodyOf(await owner.call('createApplication')).data
  bodyOf(await owner.call('confirmData', { params: { id }, body: toWire(firstPassport) }))
  return applicationNumber
}

/** Enters the right code, by default in a new browser. */
async function enterCode(
  contact: { msisdn: string; email: string } = contactBody,
  browser = openBrowser(server),
) {
  bodyOf(await browser.call('auth', { body: contact }))
  const otp = await server.outbox.codeFor(contact.msisdn || contact.email)
  return { browser, otp, answer: await browser.call('login', { body: { ...contact, otp } }) }
}

/** Enters the right code and returns the ticket of the question. */
async function openQuestion(contact?: { msisdn: string; email: string }) {
  const { browser, otp, answer } = await enterCode(contact)
  if (answer.kind === 'ok') throw new Error('The code alone has opened the account.')
  expect(answer.failure.reason).toBe('account-dormant')
  const { ticket } = answer.failure.data as { ticket: string }
  return { browser, otp, ticket }
}

function reply(browser: TestBrowser, ticket: string, answer: DormantAnswer) {
  return browser.call('answerDormant', { body: { ticket, answer } })
}

const application = (applicationNumber: string): DormantAnswer => ({
  kind: 'application',
  applicationNumber,
  birth,
})
const startAgain: DormantAnswer = { kind: 'start-again' }

async function listKinds(): Promise<string[]> {
  const rows = await server.services.db.selectFrom('security_event').select('kind').orderBy('id').execute()
  return rows.map(({ kind }) => kind)
}

async function countTries(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(count), 0)::integer as count from usage_count where key like 'dormant %'`.execute(
    server.services.db,
  )
  return rows[0]?.count ?? 0
}

async function ownerOf(kind: 'phone' | 'email', value: string): Promise<string | undefined> {
  const row = await server.services.db
    .selectFrom('contact')
    .select('applicant_id')
    .where('kind', '=', kind)
    .where(columnIsContact('value', value))
    .executeTakeFirst()
  return row?.applicant_id
}

/** Undoes the last change of contacts with the code of its message. */
async function undo() {
  const codes = (await server.outbox.messages()).map(({ text }) => /\/undo#(\S+)/.exec(text)?.[1])
  const code = codes.findLast(each => each !== undefined) ?? ''
  bodyOf(await openBrowser(server).call('undoContactChange', { body: { code } }))
}

describe('a right code to a contact that no earlier code has proven in the last 12 months (SIG14)', () => {
  it('opens no session and tells nothing of the account', async () => {
    const { owner, applicationNumber } = await openUnused({ hasEmail: true })
    const { browser, answer } = await enterCode()
    expect(answer).toMatchObject({ kind: 'failed', status: 409, failure: { reason: 'account-dormant' } })
    const told = JSON.stringify(answer)
    for (const secret of [applicationNumber, email, owner.applicantId, firstPassport.surname])
      expect(told).not.toContain(secret)
    // As a word: a random ticket or cookie may contain the three letters.
    expect(told).not.toMatch(/\bawa\b/i)
    expect((await browser.call('refreshToken')).status).toBe(401)
    expect(bodyOf(await openBrowser(server).call('version')).data.features).toContain('dormantAccounts')
  })

  it('opens the account on the last day of the 12 months', async () => {
    const { owner } = await openUnused({ seconds: yearSeconds - 60 })
    const { answer } = await enterCode()
    expect(bodyOf(answer).data.applicantId).toBe(owner.applicantId)
  })

  it('counts calendar months: a leap year has a day more', async () => {
    await openUnused({ startsAt: '2028-03-10T11:00:00Z', seconds: yearSeconds + 3_600 })
    expect((await enterCode()).answer.kind).toBe('ok')
  })

  it('asks the question for a phone number that no code has proven for a year, even when the owner signs in by e-mail', async () => {
    await openWithLostPhone()
    await openQuestion()
  })

  it('opens the account when its owner has proven the phone number in a session of the e-mail address', async () => {
    const { owner } = await openWithLostPhone()
    await proveContact(server, await signIn(server, { email }), { phone })
    await server.advanceSeconds(61)
    expect((await signIn(server, { phone })).applicantId).toBe(owner.applicantId)
  })

  it.runIf(isFullRun)(
    'asks no question when the applicant signs in every week, with the longest sessions that the settings allow',
    async () => {
      const env = { SESSION_IDLE_SECONDS: '86400', SESSION_MAX_SECONDS: '604800' }
      server = await startTestServer({ startsAt: start, offices: 'none', env })
      const browser = openBrowser(server)
      const first = bodyOf((await enterCode(contactBody, browser)).answer).data
      for (let week = 0; week < 57; week += 1) {
        await server.advanceSeconds(daySeconds - 60)
        expect((await browser.call('refreshToken')).kind).toBe('ok')
        await server.advanceSeconds(6 * daySeconds + 60)
        // No session lasts longer, so each week of use begins with a code.
        expect((await browser.call('refreshToken')).status).toBe(401)
        expect(bodyOf((await enterCode(contactBody, browser)).answer).data.applicantId).toBe(
          first.applicantId,
        )
      }
    },
  )

  it('asks also after a code by the other channel', async () => {
    await openUnused({ hasEmail: true })
    const browser = openBrowser(server)
    bodyOf(await browser.call('auth', { body: { ...contactBody, otherChannel: true } }))
    const otp = await server.outbox.codeFor(email)
    const answer = await browser.call('login', { body: { ...contactBody, otp } })
    expect(answer).toMatchObject({ failure: { reason: 'account-dormant' } })
  })

  it('gets the same question again for a minute when the response was lost', async () => {
    await openUnused({ env: { OTP_TTL_SECONDS: '300' } })
    const { browser, otp, ticket } = await openQuestion()
    const again = await browser.call('login', { body: { ...contactBody, otp } })
    expect(again).toMatchObject({ failure: { reason: 'account-dormant', data: { ticket } } })
    await server.advanceSeconds(61)
    expect(await browser.call('login', { body: { ...contactBody, otp } })).toMatchObject(expired)
  })
})

describe.each(testedEngines)('the question of a dormant account, on %s', database => {
  it('is answered with the application number and the date of birth (SIG15)', async () => {
    const { owner, applicationNumber } = await openUnused({ database })
    const { browser, ticket } = await openQuestion()
    const typed = ` ${applicationNumber.toLowerCase().replaceAll('-', ' ')} `
    const opened = bodyOf(await reply(browser, ticket, application(typed))).data
    expect(opened.applicantId).toBe(owner.applicantId)
    const session = openBrowser(server, opened.token)
    expect(bodyOf(await session.call('listApplications')).data).toHaveLength(1)
    // The account is in use again.
    expect((await enterCode()).answer.kind).toBe('ok')
  })

  it('leads to a new account when the holder of the contact starts again (SIG17)', async () => {
    const { owner } = await openUnused({ database })
    const { browser, ticket } = await openQuestion()
    const opened = bodyOf(await reply(browser, ticket, startAgain)).data
    expect(opened.applicantId).not.toBe(owner.applicantId)
    expect(opened.draftKey).not.toBe(owner.draftKey)
    const session = openBrowser(server, opened.token)
    expect(bodyOf(await session.call('listApplications')).data).toEqual([])
    expect(await ownerOf('phone', phone)).toBe(opened.applicantId)
    expect((await enterCode()).answer.kind).toBe('ok')
  })

  it('gives one session to fifty equal answers at once', async () => {
    const { applicationNumber } = await openUnused({ database })
    const { browser, ticket } = await openQuestion()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => reply(browser, ticket, { ...application(applicationNumber) })),
    )
    // The first, and the repetitions of a lost response (D21).
    expect(answers.filter(answer => answer.kind === 'ok').length).toBeLessThanOrEqual(1 + maxRepeats)
    expect(answers.some(answer => answer.kind === 'ok')).toBe(true)
    const sessions = await server.services.db.selectFrom('session').select('id').execute()
    // The first one is that of a year ago.
    expect(sessions).toHaveLength(2)
  })
})

describe('the answer with an application (SIG15)', () => {
  it('is refused for another application number or another date of birth, and says how many tries are left', async () => {
    const { applicationNumber } = await openUnused()
    const { browser, ticket } = await openQuestion()
    const otherDay = { ...birth, day: birth.day === '1' ? '2' : '1' }
    const answers: DormantAnswer[] = [
      application('PP-2026-999999-1'),
      { kind: 'application', applicationNumber, birth: otherDay },
      { kind: 'application', applicationNumber, birth: { day: '', month: '', year: birth.year } },
      { kind: 'application', applicationNumber: '', birth: { day: '', month: '', year: '' } },
    ]
    for (const [index, answer] of answers.entries())
      expect(await reply(browser, ticket, answer)).toMatchObject(wrong(dormantTriesPerDay - 1 - index))
    expect((await listKinds()).filter(kind => kind === 'answer-wrong')).toHaveLength(answers.length)
    expect((await reply(browser, ticket, application(applicationNumber))).kind).toBe('ok')
  })

  it('proves the contact of the question, and not the other one', async () => {
    const { applicationNumber } = await openUnused({ hasEmail: true })
    const { browser, ticket } = await openQuestion({ msisdn: '', email })
    bodyOf(await reply(browser, ticket, application(applicationNumber)))
    expect((await enterCode({ msisdn: '', email })).answer.kind).toBe('ok')
    await openQuestion()
  })

  it('is not compared after five tries of a day, in any browser; the next day it is', async () => {
    const { applicationNumber } = await openUnused()
    const first = await openQuestion()
    const answers = await Promise.all(
      Array.from({ length: dormantTriesPerDay + 3 }, () =>
        reply(first.browser, first.ticket, application('PP-1')),
      ),
    )
    expect(answers.every(answer => answer.kind === 'failed')).toBe(true)
    expect((await listKinds()).filter(kind => kind === 'answer-wrong')).toHaveLength(dormantTriesPerDay)
    // The next code may be sent at once, on the same day.
    await server.services.db
      .updateTable('one_time_code')
      .set({ sent_at: new Date(0) })
      .execute()
    const second = await openQuestion()
    expect(await reply(second.browser, second.ticket, application(applicationNumber))).toMatchObject(
      spent('day'),
    )
    await server.advanceSeconds(daySeconds)
    const third = await openQuestion()
    expect((await reply(third.browser, third.ticket, application(applicationNumber))).kind).toBe('ok')
  })

  it('is refused without a comparison after ten tries in 90 days, also when the last tries come at once', async () => {
    const { applicationNumber } = await openUnused()
    const guess = async (times: number) => {
      const { browser, ticket } = await openQuestion()
      return Promise.all(Array.from({ length: times }, () => reply(browser, ticket, application('PP-1'))))
    }
    await guess(dormantTriesPerDay)
    await server.advanceSeconds(daySeconds)
    await guess(2)
    // The counts of a network are kept for two days.
    await server.advanceSeconds(3 * daySeconds)
    await deleteExpiredRows(server.services.db)
    const last = await guess(dormantTriesPerDay)
    expect((await listKinds()).filter(kind => kind === 'answer-wrong')).toHaveLength(dormantTriesPerPeriod)
    const told = last.map(answer => answer.kind === 'failed' && answer.failure.data)
    expect(told).toEqual(
      expect.arrayContaining(
        [{ triesLeft: 2 }, { triesLeft: 1 }, { triesLeft: 0, spent: 'period' }].map(data =>
          expect.objectContaining(data),
        ),
      ),
    )
    await server.advanceSeconds(80 * daySeconds)
    await deleteExpiredRows(server.services.db)
    const tooEarly = await openQuestion()
    expect(await reply(tooEarly.browser, tooEarly.ticket, application(applicationNumber))).toMatchObject(
      spent('period'),
    )
    await server.advanceSeconds(11 * daySeconds)
    const late = await openQuestion()
    expect((await reply(late.browser, late.ticket, application(applicationNumber))).kind).toBe('ok')
  })

  it('says after the fifth try of the second day that the next day has none either', async () => {
    await openUnused()
    for (const limit of ['day', 'period'] as const) {
      const { browser, ticket } = await openQuestion()
      const replies = []
      for (let index = 0; index < dormantTriesPerDay; index += 1)
        replies.push(await reply(browser, ticket, application('PP-1')))
      expect(replies.at(-1)).toMatchObject(spent(limit))
      await server.advanceSeconds(daySeconds)
    }
  })

  it('gives all tries back after the right answer', async () => {
    const { applicationNumber } = await openUnused()
    const { browser, ticket } = await openQuestion()
    await reply(browser, ticket, application('PP-1'))
    expect(await countTries()).toBe(1)
    expect((await reply(browser, ticket, application(applicationNumber))).kind).toBe('ok')
    expect(await countTries()).toBe(0)
  })

  it('has tries of its own for each contact, so that the holder of a phone number cannot use up those of the e-mail address', async () => {
    const { applicationNumber } = await openUnused({ hasEmail: true })
    const stranger = await openQuestion()
    for (let index = 0; index < dormantTriesPerDay; index += 1)
      await reply(stranger.browser, stranger.ticket, application('PP-1'))
    const owner = await openQuestion({ msisdn: '', email })
    expect((await reply(owner.browser, owner.ticket, application(applicationNumber))).kind).toBe('ok')
  })

  it('needs the year alone when the form says that the date is unknown', async () => {
    server = await startTestServer({ startsAt: start, offices: 'none' })
    const owner = await signIn(server, { phone })
    const { id, applicationNumber } = bodyOf(await owner.call('createApplication')).data
    const form = { ...firstPassport, dateOfBirthUnknown: true, dayOfBirth: '', monthOfBirth: '' }
    bodyOf(await owner.call('confirmData', { params: { id }, body: toWire(form) }))
    await server.advanceSeconds(yearSeconds + 1)
    const { browser, ticket } = await openQuestion()
    const answer = {
      kind: 'application',
      applicationNumber,
      birth: { day: '', month: '', year: birth.year },
    } as const
    expect((await reply(browser, ticket, answer)).kind).toBe('ok')
  })
})

describe('the answer with a code to the other contact (SIG16)', () => {
  const other = { msisdn: '', email }

  it('opens the account', async () => {
    const { owner } = await openUnused({ hasEmail: true })
    const { browser, ticket } = await openQuestion()
    bodyOf(await browser.call('askDormantCode', { body: { ticket, ...other } }))
    const otp = await server.outbox.codeFor(email)
    const opened = bodyOf(await reply(browser, ticket, { kind: 'contact', ...other, otp })).data
    expect(opened.applicantId).toBe(owner.applicantId)
    // Both contacts are proven now.
    await server.advanceSeconds(61)
    for (const contact of [{ phone }, { email }])
      expect((await signIn(server, contact)).applicantId).toBe(owner.applicantId)
  })

  it('proves no contact of another account, which may be dormant too', async () => {
    server = await startTestServer({ startsAt: start, offices: 'none' })
    await openAccountWithBoth(server, { phone, email })
    await signIn(server, { email: 'abena@example.cm' })
    await server.advanceSeconds(yearSeconds + 1)
    const { browser, ticket } = await openQuestion()
    const body = { msisdn: '', email: 'abena@example.cm' }
    bodyOf(await browser.call('auth', { body }))
    const otp = await server.outbox.codeFor(body.email)
    expect(await reply(browser, ticket, { kind: 'contact', ...body, otp })).toMatchObject(expired)
    await server.advanceSeconds(61)
    await openQuestion(body)
  })

  it('sends a code to no contact but the other one of the account, with the same answer', async () => {
    await openUnused({ hasEmail: true })
    await signIn(server, { email: 'abena@example.cm' })
    const { browser, ticket } = await openQuestion()
    const before = (await server.outbox.messages()).length
    const strangers = ['nobody@example.cm', 'abena@example.cm'].map(each => ({ msisdn: '', email: each }))
    for (const body of [contactBody, ...strangers]) {
      if (body.email.startsWith('abena')) await server.advanceSeconds(61)
      expect(bodyOf(await browser.call('askDormantCode', { body: { ticket, ...body } })).data).toEqual({
        statusCode: 0,
      })
    }
    expect(await server.outbox.messages()).toHaveLength(before)
    expect(bodyOf(await browser.call('askDormantCode', { body: { ticket, ...other } })).data).toEqual({
      statusCode: 0,
    })
    expect(await server.outbox.messages()).toHaveLength(before + 1)
  })

  it('is refused with the right code of another contact', async () => {
    await openUnused({ hasEmail: true })
    const { browser, ticket } = await openQuestion()
    const body = { msisdn: '', email: 'thief@example.cm' }
    bodyOf(await browser.call('auth', { body }))
    const otp = await server.outbox.codeFor('thief@example.cm')
    expect(await reply(browser, ticket, { kind: 'contact', ...body, otp })).toMatchObject(expired)
    expect(await ownerOf('email', 'thief@example.cm')).toBeUndefined()
  })

  it('is refused with a second code to the same phone number', async () => {
    await openUnused({ hasEmail: true })
    const { browser, ticket } = await openQuestion()
    await server.advanceSeconds(61)
    bodyOf(await browser.call('auth', { body: contactBody }))
    const otp = await server.outbox.codeFor(phone)
    expect(await reply(browser, ticket, { kind: 'contact', ...contactBody, otp })).toMatchObject(expired)
  })

  it('counts wrong codes as every sign-in does (D21)', async () => {
    await openUnused({ hasEmail: true })
    const { browser, ticket } = await openQuestion()
    bodyOf(await browser.call('askDormantCode', { body: { ticket, ...other } }))
    expect(await reply(browser, ticket, { kind: 'contact', ...other, otp: 'wrong' })).toMatchObject({
      failure: { reason: 'code-wrong', data: { triesLeft: 4 } },
    })
  })
})

describe('to start again (SIG17)', () => {
  it('leaves the earlier account with its other contact, which can undo it (D70)', async () => {
    const { owner } = await openUnused({ hasEmail: true })
    const { browser, ticket } = await openQuestion()
    const before = (await server.outbox.messages()).length
    const opened = bodyOf(await reply(browser, ticket, startAgain)).data
    const told = (await server.outbox.messages()).slice(before)
    expect(told.map(({ to, kind }) => ({ to, kind }))).toEqual([{ to: email, kind: 'security' }])
    expect(await ownerOf('email', email)).toBe(owner.applicantId)
    expect(await listKinds()).toEqual(expect.arrayContaining(['contact-removed', 'started-again']))
    const code = /undo#(\S+)/.exec(told[0]?.text ?? '')?.[1] ?? ''
    bodyOf(await openBrowser(server).call('undoContactChange', { body: { code } }))
    expect(await ownerOf('phone', phone)).toBe(owner.applicantId)
    expect((await openBrowser(server, opened.token).call('listApplications')).status).toBe(401)
  })

  it('shows the new account neither the other contact nor the events of the earlier one (D98)', async () => {
    await openUnused({ hasEmail: true })
    // Events refuse a change of their time, so the test stores an old one.
    await server.services.db
      .insertInto('security_event')
      .values({
        kind: 'code-wrong',
        subject: subjectOf(server.services, { kind: 'phone', value: phone }),
        at: sql<Date>`now() - interval '100 days'`,
      })
      .execute()
    const browser = openBrowser(server)
    bodyOf(await browser.call('auth', { body: { ...contactBody, otherChannel: true } }))
    const { answer } = await enterCode(contactBody, browser)
    if (answer.kind === 'ok') throw new Error('The code alone has opened the account.')
    const { ticket } = answer.failure.data as { ticket: string }
    const { token } = bodyOf(await reply(browser, ticket, startAgain)).data
    const session = openBrowser(server, token)
    for (const format of ['json', 'html'] as const) {
      const { text } = bodyOf(await session.call('downloadData', { query: { format, lg: 'en' } })).data
      expect(text).toContain(phone)
      expect(text).not.toContain(email)
    }
    const json = bodyOf(await session.call('downloadData', { query: { format: 'json', lg: 'en' } })).data.text
    // The new account also shows no event of the contact from the time of its earlier holder.
    const events: { kind: string }[] = JSON.parse(json).tables.security_event
    expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['started-again']))
    expect(events.filter(({ kind }) => kind === 'code-wrong')).toHaveLength(0)
    expect(bodyOf(await session.call('readAccount')).data.events).not.toContainEqual(
      expect.objectContaining({ kind: 'code-wrong' }),
    )
    // The browsers of the earlier holder are not those of the new one.
    expect(JSON.parse(json).tables.challenge).toHaveLength(1)
  })

  it('keeps the applications of an account without a contact, and erases such an account without applications (D113)', async () => {
    const { owner } = await openUnused()
    const { browser, ticket } = await openQuestion()
    bodyOf(await reply(browser, ticket, startAgain))
    const { db } = server.services
    await eraseAccounts(server.services)
    const kept = await db
      .selectFrom('application')
      .select('number')
      .where('applicant_id', '=', owner.applicantId)
      .execute()
    expect(kept).toHaveLength(1)
    await db.deleteFrom('application').execute()
    await eraseAccounts(server.services)
    expect(await db.selectFrom('applicant').select('id').execute()).toHaveLength(1)
  })

  it('is refused when the owner has proven the contact since', async () => {
    const { owner } = await openUnused({ hasEmail: true })
    const stranger = await openQuestion()
    const own = await openQuestion({ msisdn: '', email })
    await server.advanceSeconds(61)
    bodyOf(await own.browser.call('askDormantCode', { body: { ticket: own.ticket, ...contactBody } }))
    const otp = await server.outbox.codeFor(phone)
    bodyOf(await reply(own.browser, own.ticket, { kind: 'contact', ...contactBody, otp }))
    expect(await reply(stranger.browser, stranger.ticket, startAgain)).toMatchObject(expired)
    expect(await ownerOf('phone', phone)).toBe(owner.applicantId)
  })
})

describe('a contact that an undo gives back to the account (D70)', () => {
  it('is dormant when it was dormant before its new holder started again', async () => {
    const { owner } = await openWithLostPhone()
    const { browser, ticket } = await openQuestion()
    bodyOf(await reply(browser, ticket, startAgain))
    await undo()
    expect(await ownerOf('phone', phone)).toBe(owner.applicantId)
    await server.advanceSeconds(61)
    await openQuestion()
  })

  it('opens the account when a code has proven it in the last 12 months, before the removal', async () => {
    const { owner } = await openUnused({ hasEmail: true, seconds: 200 * daySeconds })
    await signIn(server, { phone })
    await server.advanceSeconds(100 * daySeconds)
    const session = await signIn(server, { email })
    await server.advanceSeconds(61)
    await proveContact(server, session, { email })
    bodyOf(await session.call('removeContact', { body: { kind: 'phone' } }))
    await undo()
    await server.advanceSeconds(200 * daySeconds)
    expect((await signIn(server, { phone })).applicantId).toBe(owner.applicantId)
    await server.advanceSeconds(yearSeconds + 1)
    await openQuestion()
  })
})

describe('the ticket of the question (SIG14)', () => {
  it('is valid only in the browser that entered the code, for 15 minutes', async () => {
    await openUnused()
    const { browser, ticket } = await openQuestion()
    expect(await reply(openBrowser(server), ticket, startAgain)).toMatchObject(expired)
    const foreign = openBrowser(server)
    await foreign.call('auth', { body: { msisdn: '237670000002', email: '' } })
    expect(await reply(foreign, ticket, startAgain)).toMatchObject(expired)
    await server.advanceSeconds(15 * 60 - 60)
    expect(await reply(browser, ticket, application('PP-1'))).toMatchObject(wrong(dormantTriesPerDay - 1))
    await server.advanceSeconds(61)
    expect(await reply(browser, ticket, startAgain)).toMatchObject(expired)
  })

  it('repeats the session when the response was lost, until a call uses the session', async () => {
    await openUnused()
    const { browser, ticket } = await openQuestion()
    const lost = bodyOf(await reply(browser, ticket, startAgain)).data
    await server.advanceSeconds(50)
    const repeated = bodyOf(await reply(browser, ticket, startAgain)).data
    expect(repeated.applicantId).toBe(lost.applicantId)
    const again = bodyOf(await reply(browser, ticket, startAgain)).data
    expect((await openBrowser(server, again.token).call('listApplications')).kind).toBe('ok')
    expect(await reply(browser, ticket, startAgain)).toMatchObject(expired)
    await server.advanceSeconds(61)
    expect(await reply(browser, ticket, startAgain)).toMatchObject(expired)
  })

  it('has one outcome when two different answers arrive at the same moment', async () => {
    const { owner, applicationNumber } = await openUnused({ database: 'postgresql' })
    const { browser, ticket } = await openQuestion()
    const { db } = server.services
    const [one, two] = await forceRace(db, {
      lock: sql`select from one_time_code for update`,
      actions: [
        () => reply(browser, ticket, startAgain),
        () => reply(browser, ticket, application(applicationNumber)),
      ],
    })
    const ids = [one, two].flatMap(answer => (answer.kind === 'ok' ? [answer.body.data.applicantId] : []))
    expect(new Set(ids).size).toBe(1)
    expect(ids[0]).not.toBe(owner.applicantId)
    expect(await ownerOf('phone', phone)).toBe(ids[0])
  })
})
