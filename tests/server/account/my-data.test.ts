import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { normaliseForm, toWire } from '#contract/application.ts'
import { languages } from '#contract/codes.ts'
import {
  columnsWithout,
  type ExportedTable,
  exportedTables,
  type MyData,
  notExported,
} from '#server/features/account/my-data.ts'
import { contactValue } from '#server/database/contact-values.ts'
import { storedAnswers } from '#server/features/applications/stored-form.ts'
import { isTextKey, translateTo } from '#server/i18n/translate.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf, type SignedIn, signIn, signInDirectly } from '#support/servers/api-client.ts'
import { recordEvent } from '#server/features/session/security-events.ts'
import { openAccountWithBoth } from '#support/servers/prove-contact.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
let owner: SignedIn

/** In the forms of both applicants. No code has proven it. */
const named = 'named@example.cm'
const surname = 'ZORVI <b>&"LANDE"'
/** In rows of another applicant, and in a message to `named`. */
const foreign = 'foreign-marker'

beforeAll(async () => {
  server = await startTestServer()
  owner = await openAccountWithBoth(server)
  const stranger = await signIn(server, { phone: '237670000002' })
  await fillTables(owner, 'own-marker')
  await fillTables(stranger, foreign)
  await server.services.db
    .insertInto('outbox')
    .values({
      key: foreign,
      channel: 'email',
      kind: 'payment',
      recipient: named,
      message: JSON.stringify({ subject: '', text: foreign }),
    })
    .execute()
})
afterAll(() => server?.close())

/** Stores an application with a form, and a row in each of six other tables. */
async function fillTables(applicant: SignedIn, marker: string): Promise<void> {
  const { db } = server.services
  const { id } = bodyOf(await applicant.call('createApplication')).data
  const form = { ...firstPassport, surname }
  bodyOf(await applicant.call('saveData', { params: { id }, body: { ...toWire(form), draft: true } }))
  // A form may name an address that no applicant has proven. saveData would replace it when the applicant has a proven one.
  const values = { ...normaliseForm(form), email: named }
  const stored = await storedAnswers(server.services, id, { values, additionalData: '' })
  await sql`update application set data = ${stored.data}::jsonb where id = ${id}`.execute(db)
  await db
    .insertInto('appointment')
    .values({ application_id: id, office_id: 1, starts_at: '2026-12-01T09:30:00', state: 'CANCELED' })
    .execute()
  await db.insertInto('watch').values({ application_id: id, office_id: 1 }).execute()
  const payment = await db
    .insertInto('payment')
    .values({
      application_id: id,
      order_id: marker,
      method: 'MOBILE',
      status: 'ERROR',
      amount: 1,
      currency: 'XAF',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db.insertInto('payment_event').values({ payment_id: payment.id, kind: marker }).execute()
  const contact = await db
    .selectFrom('contact')
    .select(['kind', 'value'])
    .where('applicant_id', '=', applicant.applicantId)
    .limit(1)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('whitelist')
    .values({ kind: contact.kind, value: contactValue(contact.value) })
    .execute()
  // A message about the application to the contact of its form.
  await db
    .insertInto('outbox')
    .values({
      key: `deletion:${id}:3`,
      channel: 'email',
      kind: 'deletion-warning',
      recipient: named,
      message: JSON.stringify({ subject: '', text: `warning ${marker}` }),
    })
    .execute()
}

async function download(who: SignedIn, format: 'json' | 'html', lg: 'fr' | 'en' = 'fr') {
  server.clock.advanceSeconds(60) // One download a minute is always allowed.
  const answer = await who.call('downloadData', { query: { format, lg } })
  return { headers: answer.headers, ...bodyOf(answer).data }
}

async function readTables(): Promise<MyData['tables']> {
  return JSON.parse((await download(owner, 'json')).text).tables
}

async function columnsOf(table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = ${table}`.execute(server.services.db)
  return rows.map(({ name }) => name)
}

describe('the data of an account as JSON (D98)', () => {
  it('has every table of the database, except those with a reason', async () => {
    const { rows } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables
      where table_schema = 'public' and table_name not like 'kysely%'`.execute(server.services.db)
    const advice = 'add the table to the export or to the list of exceptions in my-data.ts'
    const listed = [...exportedTables, ...Object.keys(notExported)]
    expect(listed.toSorted(), advice).toEqual(rows.map(({ name }) => name).toSorted())
  })

  it('has every column of these tables, except those with a reason', async () => {
    const tables = await readTables()
    for (const table of exportedTables) {
      const [row] = tables[table]
      expect(row, `no row of ${table}; store one in this test`).toBeDefined()
      const shown = [...Object.keys(row ?? {}), ...Object.keys(columnsWithout(table))]
      expect(shown.toSorted(), table).toEqual((await columnsOf(table)).toSorted())
    }
  })

  it('has the rows of the owner, and none of another applicant', async () => {
    const { text } = await download(owner, 'json')
    const tables = await readTables()
    expect(tables.application).toMatchObject([{ data: { surname } }])
    expect(tables.payment).toMatchObject([{ order_id: 'own-marker' }])
    expect(text).toContain('warning own-marker')
    expect(text).not.toContain(foreign)
    expect(text).not.toContain('237670000002')
  })

  it('has no message of another account to a contact of the owner', async () => {
    const { applicantId } = await signIn(server, { phone: '237670000003' })
    await server.services.db
      .insertInto('outbox')
      .values({
        key: 'of the account that had the address before',
        channel: 'email',
        kind: 'payment',
        recipient: 'awa@example.cm',
        applicant_id: applicantId,
        message: JSON.stringify({ subject: '', text: '' }),
      })
      .execute()
    const { outbox } = await readTables()
    expect(outbox.filter(row => row['recipient'] === 'awa@example.cm')).not.toEqual([])
    expect(outbox.filter(row => row['applicant_id'] === applicantId)).toEqual([])
  })

  it('has the security events of the account and its contacts, and neither those of others nor those for operators (D111, D126)', async () => {
    const { services } = server
    const { db } = services
    const subject = { applicantId: owner.applicantId }
    const other = { kind: 'phone', value: '237670000002' } as const
    await recordEvent(db, services, { kind: 'code-wrong', subject: { kind: 'phone', value: '237670000001' } })
    await recordEvent(db, services, { kind: 'answer-wrong', subject: other })
    await recordEvent(db, services, { kind: 'object-refused', subject })
    await recordEvent(db, services, { kind: 'limit-reached', subject })
    await recordEvent(db, services, { kind: 'token-refused', subject: 'unknown' })
    const kinds = (await readTables()).security_event.map(({ kind }) => kind)
    expect(kinds).toEqual(expect.arrayContaining(['signed-in-new-device', 'contact-added', 'code-wrong']))
    for (const kind of ['answer-wrong', 'object-refused', 'limit-reached', 'token-refused'])
      expect(kinds).not.toContain(kind)
    const { text } = await download(owner, 'html', 'en')
    expect(text).toContain(translateTo('en')('myData.tables.security_event'))
    expect(text).toContain('code-wrong')
  })

  it('has no code of a message, with which a stranger at the open session could change contacts (D70)', async () => {
    const { text } = await download(owner, 'json')
    const messages = (await server.outbox.messages()).filter(({ to }) => to !== '237670000002')
    const codes = messages.flatMap(({ code, text: sent }) => [code, /\/undo#(\S+)/.exec(sent)?.[1]])
    expect(codes.filter(Boolean).length).toBeGreaterThan(3)
    // Phone numbers, ids and times may contain the six digits of a code.
    const shown = text.replaceAll(/[\w-]*\d{7,}[\w-]*|[\da-f-]{36}|\.\d+/g, '')
    for (const secret of codes.filter(each => each !== undefined)) expect(shown).not.toContain(secret)
  })

  it('has no hash of a network, which may be that of a stranger who asked for a code', async () => {
    const tables = await readTables()
    const columns = exportedTables.flatMap(table => Object.keys(tables[table][0] ?? {}))
    expect(columns.filter(column => ['network', 'near', 'wide'].includes(column))).toEqual([])
  })

  it('is a file that no cache stores', async () => {
    const { headers, name } = await download(owner, 'json', 'en')
    expect(name).toBe('my-data.json')
    expect(headers['cache-control']).toContain('no-store')
  })
})

describe.each(languages)('the data of an account as a page in %s (D98)', language => {
  it('needs no script and no other file, and shows the answers as text', async () => {
    const { text, type } = await download(owner, 'html', language)
    expect(type).toContain('text/html')
    expect(text).toContain(`<html lang="${language}">`)
    expect(text).toContain('ZORVI &#60;b&#62;&#38;&#34;LANDE&#34;')
    expect(text).toMatch(/Content-Security-Policy" content="default-src 'none'; style-src 'sha256-[\w+/]+='"/)
    expect(text).not.toMatch(/<script|<link|<img|\son\w+=|javascript:|url\(|<b>/i)
    expect(text).toContain(translateTo(language)('receipt.fields.surname'))
  })

  it('has a label for each column', async () => {
    const tables = await readTables()
    const columns = exportedTables.flatMap((table: ExportedTable) => Object.keys(tables[table][0] ?? {}))
    const unnamed = columns.filter(column => !isTextKey(`myData.columns.${column}`))
    expect([...new Set(unnamed)]).toEqual([])
  })
})

describe('the download of an applicant (D98)', () => {
  it('is refused with 429 and Retry-After after four in a row, and allowed again after a minute', async () => {
    const stranger = await signInDirectly(server)
    const ask = () => stranger.call('downloadData', { query: { format: 'json' } })
    for (let count = 0; count < 4; count += 1) expect((await ask()).status).toBe(200)
    const refused = await ask()
    expect(refused).toMatchObject({ status: 429, failure: { reason: 'too-many-requests' } })
    expect(refused.headers['retry-after']).toBe('60')
    server.clock.advanceSeconds(60)
    expect((await ask()).status).toBe(200)
  })
})
