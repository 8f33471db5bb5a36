import { describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { createPaidApplication } from '../paid-application.ts'
import { startCliFixture } from './cli-fixture.ts'

const { server, officeCommand } = await startCliFixture({ database: 'postgresql', offices: 'none' })
let applicants = 0

const header = 'order,amount,currency,method,reference,phone'
const why = ['--reason', 'Statement of November', '--as', 'AWA'] as const

type Person = { applicant: SignedIn; id: string; number: string; phone: string }

/** An applicant whose application is new, or confirmed and waits for the payment. */
async function person({ isConfirmed }: { isConfirmed: boolean }): Promise<Person> {
  applicants += 1
  const phone = `23767150${String(applicants).padStart(4, '0')}`
  const applicant = await signIn(server, { phone })
  const { id, applicationNumber: number } = bodyOf(await applicant.call('createApplication')).data
  const form = toWire({ ...firstPassport, phoneNumber: phone.slice(3) })
  if (isConfirmed) bodyOf(await applicant.call('confirmData', { params: { id }, body: form }))
  return { applicant, id, number, phone }
}

const statement = (name: string, ...lines: string[]) => officeCommand.file(name, header, ...lines)
const stateOf = async ({ applicant, id }: Person) =>
  bodyOf(await applicant.call('listApplications')).data.find(each => each.id === id)?.currentState
const payments = (orderId: string) =>
  server.services.db.selectFrom('payment').selectAll().where('order_id', '=', orderId).execute()
const records = (command: string) =>
  server.services.db
    .selectFrom('operator_record')
    .select(['operator', 'about', 'reason', 'dry_run'])
    .where('command', '=', command)
    .orderBy('id')
    .execute()

describe('statement (D108)', () => {
  it('prints no character of a file that the terminal would obey, or that would begin another line', async () => {
    const [good, bad] = ['PO-1', '"PO-2\u001b[1A\u001b[2K\u202e\nPO-3"']
    const file = statement('escapes.csv', `${good},10,XAF,MOBILE,,`, `${bad},10,XAF,MOBILE,"\u009b2J",`)
    const compared = await officeCommand.run('statement', file)
    expect(compared.kind).toBe('done')
    expect(compared.lines.join('\n')).toContain(String.raw`PO-2\u{1b}[1A\u{1b}[2K\u{202e}\u{a}PO-3`)
    const wrong = statement('wrong.csv', `PO-1,\u001b[2J,XAF,MOBILE,,`)
    const refused = await officeCommand.run('statement', wrong)
    expect(refused.lines[0]).toContain(String.raw`"\u{1b}[2J" is not a whole number`)
    for (const line of [...compared.lines, ...refused.lines]) expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })

  it('shows the payments of a statement that the portal does not know, with the application of the payer', async () => {
    const waiting = await person({ isConfirmed: true })
    const paid = await person({ isConfirmed: false })
    const { applicationId } = await createPaidApplication(server, paid.applicant)
    const [known] = await server.services.db
      .selectFrom('payment')
      .select('order_id')
      .where('application_id', '=', applicationId)
      .execute()
    const file = statement(
      'unknown.csv',
      `${known?.order_id},110000,XAF,MOCK,,`,
      `PO-2026-000900-AAAAAAAA,110000,XAF,MOBILE,MP-1,+${waiting.phone}`,
      'PO-2026-000901-BBBBBBBB,110000,XAF,CARD,,',
    )
    const { kind, lines } = await officeCommand.run('statement', file)
    expect({ kind, lines }).toEqual({
      kind: 'done',
      lines: [
        'Paid there, and not here:',
        `order                    method  amount      reference  here     application`,
        `PO-2026-000900-AAAAAAAA  MOBILE  110000 XAF  MP-1       unknown  ${waiting.number}`,
        `PO-2026-000901-BBBBBBBB  CARD    110000 XAF  -          unknown  -`,
        '',
        '3 payments in the statement: 1 as here, 2 not.',
      ],
    })
    expect(await payments('PO-2026-000900-AAAAAAAA')).toEqual([])
  })

  it('records no name and no whole contact when the column of the orders is a wrong one (D102)', async () => {
    const order = 'PO-2026-000902-BBBBBBBB'
    const orders = [order, '237671234567', 'Awa Ngo', 'awa@example.cm']
    const file = statement('wrong-column.csv', ...orders.map(each => `${each},10,XAF,MOBILE,,`))
    const masked = [order, '+237*******67', 'A** N**', 'a**@example.cm']
    expect((await officeCommand.run('statement', file)).kind).toBe('done')
    expect((await records('statement')).at(-1)?.about.toSorted()).toEqual(masked.toSorted())
    const refund = ['--refund', '237671234567', '--dry-run', ...why]
    expect((await officeCommand.run('statement', file, ...refund)).kind).toBe('done')
    expect((await records('statement')).at(-1)?.about.toSorted()).toEqual(masked.toSorted())
  })

  it('attaches an unknown payment to an application once, with the operator and the reason', async () => {
    const waiting = await person({ isConfirmed: true })
    const order = 'PO-2026-000910-CCCCCCCC'
    const file = statement('attach.csv', `${order},110000,XAF,MOBILE,MP-2,`)
    const attach = ['statement', file, '--attach', `${order}=${waiting.number}`]
    expect(await officeCommand.run(...attach)).toMatchObject({ kind: 'refused' })
    expect((await officeCommand.run(...attach, ...why, '--dry-run')).kind).toBe('done')
    expect(await stateOf(waiting)).toBe('DATA_SAVED')

    const runs = await Promise.all([
      officeCommand.run(...attach, ...why),
      officeCommand.run(...attach, ...why),
    ])
    expect(runs.map(({ lines: [first = ''] }) => first).toSorted()).toEqual([
      `${order}: attached to ${waiting.number}.`,
      `${order}: was attached to ${waiting.number} already.`,
    ])
    expect(await stateOf(waiting)).toBe('PAYMENT_DONE')
    expect(await payments(order)).toMatchObject([
      { status: 'SUCCESS', provider_reference: 'MP-2', refund_due: false, amount: 110_000 },
    ])
    const told = (await server.outbox.messages()).filter(
      each => each.to === waiting.phone && each.kind !== 'otp',
    )
    expect(told).toHaveLength(1)
    const expected = { operator: 'AWA', about: [order, waiting.number], reason: why[1] }
    expect((await records('statement')).slice(-3)).toEqual([
      { ...expected, dry_run: true },
      { ...expected, dry_run: false },
      { ...expected, dry_run: false },
    ])
  })

  it('records the success of an order that has failed here', async () => {
    const waiting = await person({ isConfirmed: true })
    const order = 'PO-2026-000920-DDDDDDDD'
    await server.services.db
      .insertInto('payment')
      .values({
        application_id: waiting.id,
        order_id: order,
        method: 'MOBILE',
        status: 'ERROR',
        amount: 110_000,
        currency: 'XAF',
      })
      .execute()
    const file = statement('failed.csv', `${order},110000,XAF,MOBILE,,`)
    expect((await officeCommand.run('statement', file)).lines[2]).toMatch(
      new RegExp(`^${order} .* failed +${waiting.number}$`),
    )
    const stranger = await person({ isConfirmed: true })
    expect(
      await officeCommand.run('statement', file, '--attach', `${order}=${stranger.number}`, ...why),
    ).toEqual({
      kind: 'refused',
      lines: [`${order}: It belongs to another application.`],
    })
    await officeCommand.run('statement', file, '--attach', `${order}=${waiting.number}`, ...why)
    expect([await stateOf(waiting), await stateOf(stranger)]).toEqual(['PAYMENT_DONE', 'DATA_SAVED'])
    expect((await officeCommand.run('statement', file)).lines).toEqual([
      '1 payment in the statement: 1 as here, 0 not.',
    ])
  })

  it('knows an order that a clerk has written in small letters, and refuses to refund it', async () => {
    const { applicationId } = await createPaidApplication(
      server,
      (await person({ isConfirmed: false })).applicant,
    )
    const [paid] = await server.services.db
      .selectFrom('payment')
      .select(['order_id', 'amount', 'currency'])
      .where('application_id', '=', applicationId)
      .execute()
    const small = paid?.order_id.toLowerCase() ?? ''
    const file = statement('small.csv', `${small},${paid?.amount},${paid?.currency},MOBILE,,`)
    expect((await officeCommand.run('statement', file)).lines.at(-1)).toContain('1 as here, 0 not')
    expect(await officeCommand.run('statement', file, '--refund', small, ...why)).toMatchObject({
      kind: 'refused',
      lines: [expect.stringContaining('It is known here')],
    })
  })

  it('records an unknown payment as due back once, and records that it was given back', async () => {
    const order = 'PO-2026-000930-EEEEEEEE'
    const file = statement('refund.csv', `${order},110000,XAF,CARD,CP-9,`)
    const refund = ['statement', file, '--refund', order, ...why]
    expect((await officeCommand.run(...refund)).lines[0]).toBe(
      `${order}: recorded as due back: see "refunds".`,
    )
    expect((await officeCommand.run(...refund)).lines[0]).toBe(
      `${order}: is due back, or was given back already: see "refunds".`,
    )
    const waiting = await person({ isConfirmed: true })
    expect(
      await officeCommand.run('statement', file, '--attach', `${order}=${waiting.number}`, ...why),
    ).toEqual({
      kind: 'refused',
      lines: [`${order}: It is due back, or was given back already: see "refunds".`],
    })
    const due = await officeCommand.run('refunds')
    expect(due.lines.filter(line => line.startsWith(order))).toEqual([
      expect.stringMatching(/-\s+CARD\s+110000 XAF\s+-\s+CP-9/),
    ])
    expect((await officeCommand.run('refunds', '--done', order)).lines).toEqual([
      '1 payment recorded as refunded.',
    ])
    expect((await officeCommand.run('refunds', '--done', order)).kind).toBe('refused')
    expect((await officeCommand.run('statement', file)).lines).toEqual([
      '1 payment in the statement: 1 as here, 0 not.',
    ])
    // The last record is that of the second --done: a refused run is recorded too.
    expect((await records('refunds')).at(-2)).toMatchObject({ about: [order] })
  })

  it('says that the amount differs from the one that was recorded as due back, also after it was given back', async () => {
    const order = 'PO-2026-000931-EEEEEEEE'
    const wrong = statement('too-little.csv', `${order},11000,XAF,CARD,CP-10,`)
    await officeCommand.run('statement', wrong, '--refund', order, ...why)
    const right = statement('all.csv', `${order},110000,XAF,CARD,CP-10,`)
    const shown = async () => (await officeCommand.run('statement', right)).lines.join('\n')
    expect(await shown()).toMatch(/110000 XAF +CP-10 +due back, other amount: 11000 XAF/)
    await officeCommand.run('refunds', '--done', order)
    expect(await shown()).toMatch(/110000 XAF +CP-10 +other amount: 11000 XAF/)
  })

  it.each([
    ['before the confirmation', { isConfirmed: false }, 110_000, 'has not confirmed the data'],
    ['with another amount', { isConfirmed: true }, 109_999, 'amount or currency is not that'],
  ])('refuses to attach a payment %s', async (_, confirmed, amount, fault) => {
    const waiting = await person(confirmed)
    const order = `PO-2026-${amount}-FFFFFFFF`
    const file = statement(`${amount}.csv`, `${order},${amount},XAF,MOBILE,,`)
    const { kind, lines } = await officeCommand.run(
      'statement',
      file,
      '--attach',
      `${order}=${waiting.number}`,
      ...why,
    )
    expect({ kind, text: lines.join() }).toEqual({ kind: 'refused', text: expect.stringContaining(fault) })
    expect(await payments(order)).toEqual([])
  })

  it.each([
    [['PO-1,110000,XAF,MOBILE,,', 'PO-1,110000,XAF,MOBILE,,'], [], 'line 3: order: Another line has'],
    [['PO-1,-110000,XAF,MOBILE,,'], [], 'line 2: amount: "-110000" is not a whole number'],
    [['PO-1,110000,XAF,WHITELIST,,'], [], 'line 2: method: "WHITELIST" is not a method'],
    [
      ['PO-1,110000,XAF,MOBILE,,awa@example.cm'],
      [],
      'phone: "awa@example.cm" is not a phone number with its',
    ],
    [['PO-1,110000,XAF,MOBILE,,'], ['--refund', 'PO-2'], 'PO-2: The file has no payment of this order.'],
    [['PO-1,110000,XAF,MOBILE,,'], ['--attach', 'PO-1'], '--attach PO-1: Give ORDER=NUMBER.'],
    [['PO-1,110000,XAF,MOBILE,,'], ['--attach', '=CM-1'], '--attach =CM-1: Give ORDER=NUMBER.'],
    [
      ['PO-1,110000,XAF,MOBILE,,'],
      ['--attach', 'PO-1=CM-1=CM-2'],
      '--attach PO-1=CM-1=CM-2: Give ORDER=NUMBER.',
    ],
    [['PO-1,110000,XAF,MOBILE,,'], ['--attach', 'PO-1=CM-1='], '--attach PO-1=CM-1=: Give ORDER=NUMBER.'],
  ])('refuses %j with %j', async (lines, options, fault) => {
    const refused = await officeCommand.run('statement', statement('wrong.csv', ...lines), ...options, ...why)
    expect(refused.kind).toBe('refused')
    expect(refused.lines.join('\n')).toContain(fault)
  })
})
