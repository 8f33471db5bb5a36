import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { emptyForm, toWire } from '#contract/application.ts'
import { eraseApplications } from '#server/features/deletion/erase-applications.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { findFreeTime, createPaidApplication } from '../paid-application.ts'
import { startCliFixture } from './cli-fixture.ts'

const { server, officeCommand } = await startCliFixture()

const why = ['--reason', 'Call of the applicant'] as const
type Booked = { applicant: SignedIn; phone: string; applicationId: string; number: string; day: string }

let people = 0

async function pay(surname = 'Ngo'): Promise<Omit<Booked, 'day'>> {
  people += 1
  const phone = `2376720000${String(people).padStart(2, '0')}`
  const applicant = await signIn(server, { phone })
  const form = { ...firstPassport, surname, phoneNumber: phone.slice(3), email: `p${people}@example.cm` }
  return { applicant, phone, ...(await createPaidApplication(server, applicant, form)) }
}

/** An applicant with a booked appointment at office 1, on its seventh free day. */
async function book(surname?: string): Promise<Booked> {
  const paid = await pay(surname)
  const { applicant, applicationId } = paid
  const appointmentDate = await findFreeTime(applicant, applicationId)
  const body = { applicationId, officeId: '1', appointmentDate }
  const { id } = bodyOf(await applicant.call('createAppointment', { body })).data
  bodyOf(await applicant.call('confirmAppointment', { params: { id } }))
  return { ...paid, day: appointmentDate.slice(0, 10) }
}

async function stateOf({ applicationId }: { applicationId: string }) {
  const { db } = server.services
  const row = db.selectFrom('application').select('state').where('id', '=', applicationId)
  return (await row.executeTakeFirstOrThrow()).state
}

/** Moves all appointments to that many days earlier, as if these days had passed. */
async function letDaysPass(days: number) {
  const { db } = server.services
  await sql`update appointment set starts_at = starts_at - make_interval(days => ${days})`.execute(db)
}

describe('application NUMBER (D45, D102)', () => {
  it('shows states and dates, and masks the name and the contacts', async () => {
    const { number, day, phone } = await book('Mbock')
    const { kind, lines } = await officeCommand.run('application', number, ...why)
    const text = lines.join('\n')
    expect(kind).toBe('done')
    expect(text).toMatch(/^state +APPOINTMENT_SCHEDULED$/m)
    expect(text).toMatch(new RegExp(`^CONFIRMED +1 .* ${day} `, 'm'))
    expect(text).toMatch(/^PP?\S+ +MOCK +110000 XAF +SUCCESS /m)
    expect(text).toContain(`+237*******${phone.slice(-2)}`)
    expect(text).toMatch(/^name +M\*{4} /m)
    expect(text).not.toMatch(new RegExp(`Mbock|${phone}|example\\.cm|${firstPassport.givenName}`, 'i'))
  })

  it('needs a reason, and refuses an unknown number', async () => {
    expect((await officeCommand.run('application', 'CM-0')).lines[0]).toBe(
      'Give the reason with --reason TEXT.',
    )
    expect((await officeCommand.run('application', 'CM-0', '--reason', ' ')).kind).toBe('usage-error')
    expect((await officeCommand.run('application', 'CM-0', ...why)).lines).toEqual([
      'CM-0: There is no such application.',
    ])
  })
})

describe('day-list OFFICE DATE (D45)', () => {
  it('lists the appointments of the day with names, for printing', async () => {
    const { number, day } = await book('Etoa')
    const { lines } = await officeCommand.run('day-list', '1', day)
    expect(lines[0]).toMatch(/^Office 1 \(/)
    const line = lines.find(each => each.includes(number))
    expect(line).toMatch(/^\d\d:\d\d .* Etoa .* APPOINTMENT_SCHEDULED$/i)
    expect(lines.at(-1)).toMatch(new RegExp(`^\\d appointments? on ${day}\\.$`))
    expect((await officeCommand.run('day-list', '2', day)).lines).toEqual([`0 appointments on ${day}.`])
  })

  it('writes a CSV file that only its owner can read, and in which no name is a formula', async () => {
    const { number, applicationId, day } = await book()
    const data = JSON.stringify({ ...emptyForm(), surname: '=HYPERLINK("http://x")', givenName: 'A;=B' })
    await sql`update application set data = ${data}::jsonb where id = ${applicationId}`.execute(
      server.services.db,
    )
    const path = join(officeCommand.folder, 'day.csv')
    const trial = await officeCommand.run('day-list', '1', day, '--csv', path, '--dry-run')
    const { lines: written } = await officeCommand.run('day-list', '1', day, '--csv', path)
    expect(written.slice(1)).toEqual([`Written to ${path}.`])
    expect(trial.lines).toEqual([written[0], 'A dry run: nothing was changed.'])
    const lines = readFileSync(path, 'utf8').split('\r\n')
    expect(lines[0]).toBe('\ufeffoffice,time,number,name,reason,state')
    const line = lines.find(each => each.includes(number)) ?? ''
    expect(line).toContain(`"'=HYPERLINK(""http://x"") A;'=B"`)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const again = await officeCommand.run('day-list', '1', day, '--csv', path)
    expect(again).toEqual({ kind: 'refused', lines: [`${path}: There is such a file already.`] })
  })
})

describe('no-show NUMBER (D40, D45)', () => {
  afterEach(() => letDaysPass(-60))

  it('ends an appointment that has begun, sends one message, and offers the applicant free times again', async () => {
    const missed = await book()
    const { number, applicant, applicationId } = missed
    expect(await officeCommand.run('no-show', number)).toEqual({
      kind: 'refused',
      lines: [`${number}: Its appointment has not begun.`],
    })
    await letDaysPass(60)
    expect((await officeCommand.run('no-show', number)).lines).toEqual(['1 applicant did not come.'])
    expect(await stateOf(missed)).toBe('READY_TO_RESCHEDULE')
    const sent = (await server.outbox.messages()).filter(({ kind }) => kind === 'no-show')
    expect(sent).toHaveLength(1)
    const again = await officeCommand.run('no-show', number)
    expect(again.lines).toEqual([`${number}: It has no confirmed appointment with a time.`])
    expect(await findFreeTime(applicant, applicationId)).toMatch(/^\d{4}-/)
  })

  it('refuses an applicant who came, and then changes no other', async () => {
    const [came, missed] = [await book(), await book()]
    await letDaysPass(60)
    await officeCommand.run('move', came.number, 'READY_FOR_CM')
    expect((await officeCommand.run('no-show', missed.number, came.number)).lines).toEqual([
      `${came.number}: It is READY_FOR_CM: in this state no appointment can be recorded as missed.`,
    ])
    expect(await stateOf(missed)).toBe('APPOINTMENT_SCHEDULED')
  })
})

describe('move --file (D45)', () => {
  afterEach(() => letDaysPass(-60))
  const columns = 'number,state,day'

  it('refuses a day to come and a day that is not that of the appointment, and then moves none', async () => {
    const [one, other] = [await book(), await book()]
    const early = officeCommand.file('early.csv', columns, `${one.number},READY_FOR_CM,${one.day}`)
    expect((await officeCommand.run('move', '--file', early)).lines).toEqual([
      `early.csv, line 2: number: ${one.number}: ${one.day} has not come yet.`,
    ])
    await letDaysPass(60)
    const day = (await appointmentDay(one)) ?? ''
    const rows = [`${one.number},READY_FOR_CM,${day}`, `${other.number},READY_FOR_CM,2020-01-31`]
    expect(
      (await officeCommand.run('move', '--file', officeCommand.file('day.csv', columns, ...rows))).lines[0],
    ).toMatch(/^day\.csv, line 3: number: \S+ Its appointment is on 20\S+, not on 2020-01-31\.$/)
    expect(await stateOf(one)).toBe('APPOINTMENT_SCHEDULED')
  })

  it('moves all of a file whose days are right', async () => {
    const [one, other] = [await book(), await pay()]
    await letDaysPass(60)
    const rows = [
      `${one.number},READY_FOR_CM,${await appointmentDay(one)}`,
      `${other.number},FAILED,2020-01-31`,
    ]
    const file = officeCommand.file('good.csv', columns, ...rows)
    expect((await officeCommand.run('move', '--file', file)).lines).toEqual([
      '1 moved to READY_FOR_CM.',
      '1 moved to FAILED.',
    ])
    expect(await stateOf(one)).toBe('READY_FOR_CM')
    expect(await stateOf(other)).toBe('FAILED')
  })

  it('refuses a state that is none of its three, and a file beside numbers', async () => {
    const file = officeCommand.file('state.csv', columns, 'CM-1,NEW,2020-01-31')
    expect((await officeCommand.run('move', '--file', file)).lines).toEqual([
      'state.csv, line 2: state: "NEW" is not READY_FOR_CM, SENT_TO_CM or FAILED.',
    ])
    expect((await officeCommand.run('move', 'CM-1', 'FAILED', '--file', file)).kind).toBe('refused')
    expect((await officeCommand.run('move')).kind).toBe('refused')
  })

  it('says that it moved none when the file has only its first line', async () => {
    const file = officeCommand.file('none.csv', columns)
    expect(await officeCommand.run('move', '--file', file)).toEqual({
      kind: 'done',
      lines: ['0 applications moved.'],
    })
  })
})

async function appointmentDay({ applicationId }: Booked): Promise<string | undefined> {
  const row = await server.services.db
    .selectFrom('appointment')
    .select('starts_at')
    .where('application_id', '=', applicationId)
    .executeTakeFirst()
  return row?.starts_at?.slice(0, 10)
}

describe('remove-whitelist (PAY31, D45)', () => {
  it('removes all contacts or none, and masks them in the answer and in the record', async () => {
    const list = officeCommand.file('list.csv', 'contact', '+237671000001', 'Awa@example.cm')
    await officeCommand.run('load-whitelist', list)
    expect(
      (await officeCommand.run('remove-whitelist', '+237 671 00 00 01', '+237671000009', ...why)).lines,
    ).toEqual(['+237*******09: It is not on the whitelist.'])
    expect((await officeCommand.run('remove-whitelist', 'awa', ...why)).lines[0]).toMatch(/^"awa" is neither/)
    expect((await officeCommand.run('remove-whitelist', '--file', list, ...why)).lines).toEqual([
      '2 contacts removed.',
    ])
    expect(await server.services.db.selectFrom('whitelist').select('value').execute()).toEqual([])
    const { about } = await lastRecord()
    expect(about.toSorted()).toEqual(['+237*******01', 'a**@example.cm'])
  })

  it('refuses contacts beside a file, because it would read only the file', async () => {
    const list = officeCommand.file('one.csv', 'contact', '+237671000001')
    await officeCommand.run('load-whitelist', list)
    expect(await officeCommand.run('remove-whitelist', 'awa@example.cm', '--file', list, ...why)).toEqual({
      kind: 'refused',
      lines: ['Give contacts or --file FILE.csv, not both.'],
    })
    await officeCommand.run('remove-whitelist', '--file', list, ...why)
  })

  it('says that it removed none when the file has only its first line', async () => {
    const list = officeCommand.file('none.csv', 'contact')
    expect(await officeCommand.run('remove-whitelist', '--file', list, ...why)).toEqual({
      kind: 'done',
      lines: ['0 contacts removed.'],
    })
  })
})

describe('refunds --refused NUMBER (D42, D45)', () => {
  it('makes the payment of a refused application due back once, and the applicant sees it', async () => {
    const { number, applicant, applicationId } = await pay()
    expect((await officeCommand.run('refunds', '--refused', number)).lines).toEqual([
      'Give the reason with --reason TEXT.',
    ])
    expect((await officeCommand.run('refunds', '--refused', number, ...why)).lines[0]).toContain(
      'It is PAYMENT_DONE.',
    )
    await officeCommand.run('move', number, 'FAILED')
    expect((await officeCommand.run('refunds', '--refused', number, ...why)).lines[0]).toContain(
      `${number}: due back:`,
    )
    expect((await officeCommand.run('refunds', '--refused', number, ...why)).kind).toBe('refused')
    expect((await officeCommand.run('refunds')).lines.join('\n')).toContain(number)
    const attempts = await applicant.call('listPaymentAttempts', { params: { id: applicationId } })
    expect(bodyOf(attempts).data[0]?.state).toBe('REFUND_DUE')
  })
})

describe('statistics FROM TO (D45)', () => {
  it('counts applications, payments and appointments, and names no applicant', async () => {
    const { number } = await book('Fouda')
    const path = join(officeCommand.folder, 'counts.csv')
    const days = ['2020-01-01', '2099-12-31']
    const trial = await officeCommand.run('statistics', ...days, '--csv', path, '--dry-run')
    const { lines } = await officeCommand.run('statistics', ...days, '--csv', path)
    expect(lines).toEqual([expect.stringMatching(/^\d+ rows\.$/), `Written to ${path}.`])
    expect(trial.lines).toEqual([lines[0], 'A dry run: nothing was changed.'])
    const text = readFileSync(path, 'utf8')
    expect(text).toMatch(/^\ufeffkind,day,office,method,state,count,amount,currency\r\n/)
    expect(text).toMatch(/^applications,\d{4}-\d\d-\d\d,,,APPOINTMENT_SCHEDULED,\d+,,\r$/m)
    expect(text).toMatch(/^payments,\d{4}-\d\d-\d\d,,MOCK,SUCCESS,\d+,\d+0000,XAF\r$/m)
    expect(text).toMatch(/^appointments,\d{4}-\d\d-\d\d,1,,CONFIRMED,\d+,,\r$/m)
    expect(text).not.toMatch(new RegExp(`${number}|Fouda`))
    expect((await officeCommand.run('statistics', '2026-12-02', '2026-12-01')).kind).toBe('refused')
    expect((await officeCommand.run('statistics', '2026-12-02', 'x')).kind).toBe('refused')
  })

  it('sums up no money for payments of the old system, also after their application is erased (PAY31)', async () => {
    const phone = '237672000300'
    await officeCommand.run('load-whitelist', officeCommand.file('paid.csv', 'contact', `+${phone}`))
    const applicant = await signIn(server, { phone })
    const { id } = bodyOf(await applicant.call('createApplication')).data
    bodyOf(await applicant.call('confirmData', { params: { id }, body: toWire(firstPassport) }))
    bodyOf(await applicant.call('startWhitelistPayment', { query: { applicationId: id } }))
    const counted = async () =>
      (await officeCommand.run('statistics', '2020-01-01', '2099-12-31')).lines.find(line =>
        line.includes('WHITELIST'),
      )
    expect(await counted()).toMatch(/ WHITELIST +SUCCESS +1 +0 +XAF$/)
    await eraseApplications(server.services.db, sql`values (${id}::uuid)`, { freedPlaceSeconds: 0 })
    expect(await counted()).toMatch(/ WHITELIST +SUCCESS +1 +0 +XAF$/)
  })
})

function lastRecord() {
  const { db } = server.services
  return db.selectFrom('operator_record').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow()
}

describe('the record of the operators (D102)', () => {
  it('names the operator, the command, the application and the reason', async () => {
    const { number } = await pay()
    await officeCommand.run('application', number, ...why, '--as', 'Awa')
    expect(await lastRecord()).toMatchObject({
      operator: 'Awa',
      command: 'application',
      about: [number],
      reason: why[1],
      dry_run: false,
    })
    const { lines } = await officeCommand.run('record', number)
    expect(lines[1]).toMatch(/^\d{4}-\S+ \S+ +Awa +\S+ +application +\S+ +Call of the applicant$/)
    expect((await officeCommand.run('record', 'CM-9')).lines).toEqual(['Nothing is recorded.'])
  })

  it('names the user of the system without --as, and also records a dry run and a list', async () => {
    await officeCommand.run('day-list', '1', '2026-12-01', '--dry-run')
    const { operator, machine_user: user, dry_run: dryRun } = await lastRecord()
    expect([operator, dryRun]).toEqual([user, true])
    expect(user).not.toBe('')
  })

  it('has nothing about a command without personal data', async () => {
    const before = await lastRecord()
    for (const operator of [[], ['--as', 'Awa']]) {
      expect((await officeCommand.run('statistics', '2026-12-01', '2026-12-01', ...operator)).kind).toBe(
        'done',
      )
      expect(await lastRecord()).toEqual(before)
    }
  })

  it('names what a refused command was asked about, because the refusal may reveal the state of an application', async () => {
    const { number } = await pay()
    await officeCommand.run('move', number, 'CM-0', 'READY_FOR_CM', '--as', 'Awa')
    expect(await lastRecord()).toMatchObject({
      operator: 'Awa',
      command: 'move',
      about: [`${number} READY_FOR_CM`, 'CM-0 READY_FOR_CM'],
      dry_run: false,
    })
    expect((await officeCommand.run('record', number)).lines[1]).toContain(' move ')
    await officeCommand.run('refunds', '--refused', number, ...why)
    expect(await lastRecord()).toMatchObject({ command: 'refunds', about: [number] })
    const list = officeCommand.file(
      'moves.csv',
      'number,state,day',
      `${number},SENT_TO_CM,2020-01-01`,
      'CM-0,SENT_TO_CM,2020-01-01',
    )
    await officeCommand.run('move', '--file', list)
    expect((await lastRecord()).about).toEqual([`${number} SENT_TO_CM`, 'CM-0 SENT_TO_CM'])
  })

  it('masks the contacts of a refused command, also those of one letter or without a country code', async () => {
    const typed = ['+237671000009', 'a@example.cm']
    await officeCommand.run('remove-whitelist', ...typed, ...why)
    expect((await lastRecord()).about).toEqual(['+237*******09', '*@example.cm'])
    await officeCommand.run('remove-whitelist', '671000009', 'awa@', ...why)
    expect((await lastRecord()).about).toEqual(['6********', 'a***'])
  })

  it('masks contacts and names that a refused move has in the place of a number', async () => {
    await officeCommand.run('move', '+237671000009', 'awa@example.cm', 'FAILED')
    expect((await lastRecord()).about).toEqual(['+237*******09 FAILED', 'a**@example.cm FAILED'])
    const list = officeCommand.file('names.csv', 'number,state,day', 'Awa Ngo,FAILED,2020-01-01')
    await officeCommand.run('move', '--file', list)
    expect((await lastRecord()).about).toEqual(['A** N** FAILED'])
  })

  it.each([
    'update operator_record set reason = $$x$$',
    'delete from operator_record',
    'truncate operator_record',
  ])('refuses: %s', async statement => {
    const before = await lastRecord()
    await expect(sql.raw(statement).execute(server.services.db)).rejects.toThrow('append-only')
    expect(await lastRecord()).toEqual(before)
  })
})
