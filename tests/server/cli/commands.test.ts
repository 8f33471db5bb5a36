import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPrivateKey } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findOffice } from '#server/features/offices/find-office.ts'
import { signReceipt } from '#server/features/receipt/qr-signature.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf, signIn } from '#support/servers/api-client.ts'
import { findFreeTime, createPaidApplication } from '../paid-application.ts'
import { startCliFixture } from './cli-fixture.ts'

const header = 'id,country,cityFr,cityEn,nameFr,nameEn,address,timeZone,active'
const example = fileURLToPath(new URL('../../../docs/examples/offices.csv', import.meta.url))

const { server, officeCommand } = await startCliFixture({ database: 'postgresql' })

const listAll = () => server.services.db.selectFrom('office').selectAll().orderBy('id').execute()
const find = (id: number) =>
  server.services.db
    .selectFrom('office')
    .innerJoin('city', 'city.id', 'office.city_id')
    .select(['office.name_fr', 'office.active', 'city.name_en as city', 'office.country_id'])
    .where('office.id', '=', id)
    .executeTakeFirst()

/** The faults of a refused list of offices with these lines. */
async function faultsOf(name: string, ...sheet: string[]): Promise<string[]> {
  const { kind, lines } = await officeCommand.run('load-offices', officeCommand.file(name, ...sheet))
  expect(kind).toBe('refused')
  return lines
}

describe('load-offices (D45)', () => {
  it('accepts the example, which is the list of the demo, and changes nothing', async () => {
    const before = await listAll()
    const { kind, lines } = await officeCommand.run('load-offices', example)
    expect(kind).toBe('done')
    expect(lines).toEqual([
      '55 offices: 0 added, 0 changed, 55 as they were.',
      'Without opening hours, so only with a general queue: 48. See load-calendars.',
    ])
    expect(await listAll()).toEqual(before)
  })

  it('adds and changes the offices in the file, and keeps the others', async () => {
    const path = officeCommand.file(
      'new.csv',
      header,
      '200,CM,Kribi,,"Commissariat, Kribi",Kribi police station,Plage,Africa/Douala,yes',
      '201,ca,Montréal,Montreal,Consulat,Consulate,,America/Toronto,',
      '3,CM,Yaoundé,,Nouveau nom,New name,,Africa/Douala,no',
    )
    const { lines } = await officeCommand.run('load-offices', path)
    expect(lines).toEqual([
      '3 offices: 2 added, 1 changed, 0 as they were.',
      'Without opening hours, so only with a general queue: 48, 200, 201. See load-calendars.',
    ])
    expect(await find(200)).toEqual({
      name_fr: 'Commissariat, Kribi',
      active: true,
      city: 'Kribi',
      country_id: 10_998,
    })
    expect(await find(201)).toMatchObject({ city: 'Montreal', active: true, country_id: 10_999 })
    expect(await find(3)).toMatchObject({ name_fr: 'Nouveau nom', active: false, city: 'Yaoundé' })
    expect(await listAll()).toHaveLength(57)
  })

  it('counts the offices of a city as changed when only its English name changes, and names the city', async () => {
    const rows = ['210,CM,Édéa,Edea', '211,CM,Édéa,Edea'].map(
      row => `${row},Commissariat,Police station,,Africa/Douala,no`,
    )
    await officeCommand.run('load-offices', officeCommand.file('edea.csv', header, ...rows))
    const renamed = rows.map(row => row.replace('Edea', 'Edea Town'))
    const path = officeCommand.file('renamed.csv', header, ...renamed)
    const lines = async () => (await officeCommand.run('load-offices', path)).lines.slice(0, -1)
    expect(await lines()).toEqual([
      '2 offices: 0 added, 2 changed, 0 as they were.',
      'The English name of the city changes for all offices of: Édéa.',
    ])
    expect(await find(211)).toMatchObject({ city: 'Edea Town' })
    expect(await lines()).toEqual(['2 offices: 0 added, 0 changed, 2 as they were.'])
  })

  it('refuses two English names of one city', async () => {
    const faults = await faultsOf(
      'cities.csv',
      header,
      '310,GB,Édimbourg,Edinburgh,Consulat,Consulate,,Europe/London,yes',
      '311,GB,Édimbourg,,Consulat,Consulate,,Europe/London,yes',
      '312,FR,Édimbourg,,Consulat,Consulate,,Europe/Paris,yes',
    )
    expect(faults).toEqual([
      'cities.csv, line 3: cityEn: Édimbourg is "Édimbourg" here and "Edinburgh" on line 2.',
    ])
  })

  it('refuses a time zone that only Node knows, because jobs of all offices would fail in the database', async () => {
    const before = await listAll()
    const faults = await faultsOf(
      'zones.csv',
      header,
      '301,US,Denver,,Consulat,Consulate,,America/Denver,yes',
      '302,US,Los Angeles,,Consulat,Consulate,,US/Pacific-New,yes',
    )
    expect(faults).toEqual([
      'zones.csv, line 3: timeZone: The database does not know US/Pacific-New. Give the name of a city, such as America/Toronto.',
    ])
    expect(await listAll()).toEqual(before)
  })

  it('changes nothing in a dry run', async () => {
    const before = await listAll()
    const path = officeCommand.file('dry.csv', header, '300,FR,Lyon,,Consulat,Consulate,,Europe/Paris,yes')
    const { lines } = await officeCommand.run('load-offices', path, '--dry-run')
    expect(lines[0]).toBe('1 office: 1 added, 0 changed, 0 as they were.')
    expect(lines.at(-1)).toBe('A dry run: nothing was changed.')
    expect(await listAll()).toEqual(before)
  })

  it('reads files of spreadsheets: semicolons, a byte order mark, quotation marks, line breaks in cells', async () => {
    const sheet = [
      `\ufeff${header.replaceAll(',', ';')}\r`,
      '300;FR;Lyon;;"Consulat ""de Lyon""";Consulate;"1 rue A\n69000 Lyon";Europe/Paris;yes\r',
      ';;;;;;;;\r',
    ]
    const faults = await faultsOf('sheet.csv', ...sheet, '301;FR;Lyon;;;;;Europe/Paris;yes\r')
    expect(faults).toEqual([
      'sheet.csv, line 5: nameFr: It must be filled in.',
      'sheet.csv, line 5: nameEn: It must be filled in.',
    ])
    expect(await find(300)).toBeUndefined()
    await officeCommand.run('load-offices', officeCommand.file('good.csv', ...sheet))
    expect((await listAll()).find(({ id }) => id === 300)).toMatchObject({
      name_fr: 'Consulat "de Lyon"',
      address: '1 rue A\n69000 Lyon',
    })
  })

  it('names the line of every fault and the column of every faulty cell, and changes nothing', async () => {
    const before = await listAll()
    const faults = await faultsOf(
      'bad.csv',
      header,
      '400,CM,Kribi,,Un,One,,Africa/Douala,yes',
      '0,XX,,,Un,One,,Africa/Kribi,maybe',
      '402,CM,Kribi,,Un,One',
    )
    expect(faults).toEqual([
      'bad.csv, line 3: id: "0" is not a whole number from 1 to 999999999.',
      'bad.csv, line 3: country: "XX" is not the two letters of a country, such as CM.',
      'bad.csv, line 3: cityFr: It must be filled in.',
      'bad.csv, line 3: timeZone: "Africa/Kribi" is not a time zone such as Africa/Douala.',
      'bad.csv, line 3: active: "maybe" is neither yes nor no.',
      'bad.csv, line 4: It has 6 cells, where the first line has 9.',
    ])
    expect(await listAll()).toEqual(before)
  })

  it.each([
    [['id,country,id,town'], /^x\.csv, line 1: cityFr: This column is missing\.$/],
    [['id,country,id,town'], /^x\.csv, line 1: town: There is no such column\. The columns are id, country,/],
    [['id,country,id,town'], /^x\.csv, line 1: id: This column is there twice\.$/],
    [[header, '1,CM,"Yaoundé'], /^x\.csv, line [23]: A quotation mark/],
    [[header, '1,CM,Yaou"ndé'], /^x\.csv, line 2: A quotation mark/],
    [
      [header, '5,CM,K,,A,B,,Africa/Douala,', '5,CM,K,,A,B,,Africa/Douala,'],
      /^x\.csv, line 3: id: 5 is on line 2/,
    ],
  ])('%j is refused: %s', async (lines, fault) => {
    const faults = await faultsOf('x.csv', ...lines)
    expect(
      faults.some(line => fault.test(line)),
      faults.join('\n'),
    ).toBe(true)
  })

  it('refuses a file that is missing, empty or not UTF-8', async () => {
    expect((await officeCommand.run('load-offices', '/nowhere/o.csv')).lines).toEqual([
      '/nowhere/o.csv: There is no such file.',
    ])
    expect((await officeCommand.run('load-offices', officeCommand.file('empty.csv'))).lines).toEqual([
      'empty.csv: It is empty.',
    ])
    const latin = join(officeCommand.folder, 'latin.csv')
    writeFileSync(latin, Buffer.from(readFileSync(example, 'utf8'), 'latin1'))
    expect((await officeCommand.run('load-offices', latin)).lines).toEqual([
      'latin.csv: It is not UTF-8. Save it as "CSV UTF-8".',
    ])
  })
})

const examples = fileURLToPath(new URL('../../../docs/examples/', import.meta.url))
const calendarOf = async (id: number) => (await findOffice(server.services.db, String(id)))?.calendar

async function reasonsOf(day: string): Promise<string[]> {
  const closed = server.services.db.selectFrom('closed_day').where('day', '=', day)
  return (await closed.select('reason').execute()).map(({ reason }) => reason)
}

describe('load-calendars (D41, D45)', () => {
  const columns = 'office,weekdays,opens,closes,slotMinutes,capacity,horizonDays,closedDay,reason'

  it('accepts the example of opening hours and a closed day', async () => {
    expect(await officeCommand.run('load-calendars', join(examples, 'calendars.csv'))).toEqual({
      kind: 'done',
      lines: ['Hours set for 4 offices; closed days set: 1.'],
    })
    expect(await calendarOf(1)).toMatchObject({
      horizonDays: 45,
      openings: expect.arrayContaining([
        { weekday: 5, opens: '08:00:00', closes: '12:00:00', slotMinutes: 30, capacity: 40 },
        { weekday: 4, opens: '13:00:00', closes: '15:30:00', slotMinutes: 30, capacity: 40 },
      ]),
    })
    expect((await calendarOf(1))?.openings).toHaveLength(9)
    expect(await calendarOf(37)).toMatchObject({ horizonDays: 60 })
    expect((await calendarOf(48))?.openings).toEqual([])
    expect((await calendarOf(2))?.closedDays).toEqual(['2026-12-24'])
  })

  it('closes a day at the offices of a country and keeps the days that were closed before; open-day opens one again', async () => {
    const { kind } = await officeCommand.run('load-calendars', join(examples, 'public-holidays.csv'))
    expect(kind).toBe('done')
    expect((await calendarOf(2))?.closedDays.toSorted()).toEqual(
      expect.arrayContaining(['2026-12-24', '2026-12-25', '2027-05-20']),
    )
    expect((await calendarOf(1))?.closedDays).toContain('2026-12-25')
    expect((await calendarOf(37))?.closedDays).toEqual([])
    await officeCommand.run('open-day', 'CM', '2026-12-25')
    expect((await calendarOf(2))?.closedDays).not.toContain('2026-12-25')
  })

  it('keeps the first reason of a day that is closed already, as close-day does, and says so (D45)', async () => {
    const path = officeCommand.file('again.csv', 'office,closedDay,reason', '3,2028-03-01,Later reason')
    const close = () => officeCommand.run('close-day', '3', '2028-03-01', '--reason', 'Strike')
    const kept =
      /0 bookings cancelled, 0 reservations ended\. It was closed already and keeps its first reason\.$/
    expect((await close()).lines[0]).toMatch(/0 bookings cancelled, 0 reservations ended\.$/)
    expect(await officeCommand.run('load-calendars', path)).toEqual({
      kind: 'done',
      lines: ['Hours set for 0 offices; closed days set: 0, 1 closed already.'],
    })
    expect(await reasonsOf('2028-03-01')).toEqual(['Strike'])
    await officeCommand.run('open-day', '3', '2028-03-01')
    await officeCommand.run('load-calendars', path)
    expect((await close()).lines[0]).toMatch(kept)
    expect(await reasonsOf('2028-03-01')).toEqual(['Later reason'])
  })

  it('replaces the hours only of the offices in the file', async () => {
    const before = await calendarOf(1)
    const path = officeCommand.file(
      'two.csv',
      'office,weekdays,opens,closes,slotMinutes,capacity',
      '2,sat,9:00,10:00,20,3',
    )
    await officeCommand.run('load-calendars', path)
    expect((await calendarOf(2))?.openings).toEqual([
      { weekday: 6, opens: '09:00:00', closes: '10:00:00', slotMinutes: 20, capacity: 3 },
    ])
    expect(await calendarOf(1)).toEqual(before)
  })

  it.each([
    ['1,mon-fri,08:00,12:00,30,,,,', 'capacity: It must be filled in where there is no closedDay.'],
    ['1,mon-fri,08:00,08:20,30,4,,,', 'closes: Between 08:00 and 08:20 there is no slot of 30 minutes.'],
    ['1,monday,08:00,12:00,30,4,,,', 'weekdays: "monday" is not a list of weekdays such as "mon-fri"'],
    ['1,fri-mon,08:00,12:00,30,4,,,', 'weekdays: "fri-mon" is not a list'],
    ['1,mon,8h,12:00,30,4,,,', 'opens: "8h" is not a time such as 08:30.'],
    ['1,mon,08:00,25:00,30,4,,,', 'closes: "25:00" is not a time'],
    ['1,none,08:00,12:00,30,4,,,', 'opens: It must be empty beside weekdays "none".'],
    ['1,none,,,,4,,,', 'capacity: It must be empty beside weekdays "none".'],
    ['1,mon,08:00,12:00,3,4,,,', 'slotMinutes: "3" is not a whole number from 5 to 480.'],
    ['1,,,,,,,2026-02-29,', 'closedDay: "2026-02-29" is not a date such as 2026-12-25.'],
    ['1,mon,,,,,,2026-12-25,', 'weekdays: It must be empty beside a closedDay.'],
    ['999,mon,08:00,12:00,30,4,,,', 'office: "999": no office has this id'],
    ['1,mon,08:00,12:00,30,4,9999,,', 'horizonDays: "9999" is not a whole number from 1 to 365.'],
  ])('%s is refused', async (line, fault) => {
    const { kind, lines } = await officeCommand.run(
      'load-calendars',
      officeCommand.file('c.csv', columns, line),
    )
    expect(kind).toBe('refused')
    expect(lines[0]).toContain(`c.csv, line 2: ${fault}`)
  })

  it('refuses hours of an office that overlap, and two horizons', async () => {
    const path = officeCommand.file(
      'c.csv',
      columns,
      '1,mon-fri,08:00,12:00,30,4,30,,',
      'CM,fri,11:30,13:00,30,4,40,,',
    )
    expect((await officeCommand.run('load-calendars', path)).lines).toEqual([
      'c.csv, line 3: opens: These hours overlap those of line 2.',
      'c.csv, line 3: horizonDays: 40, where a row above has 30.',
    ])
  })

  it.each([
    [['1,none,,,,,,,', '1,mon-fri,08:00,12:00,30,4,,,'], 'Line 2 says "none" for office 1.'],
    [['1,mon-fri,08:00,12:00,30,4,,,', '1,none,,,,,,,'], 'Line 2 has hours of office 1.'],
    [['CM,none,,,,,,,', '1,mon-fri,08:00,12:00,30,4,,,'], 'Line 2 says "none" for office 1.'],
    [['1,none,,,,,,,', '1,mon,08:00,12:00,30,4,,,', '1,none,,,,,,,'], 'Line 2 says "none" for office 1.'],
  ])('refuses "none" and hours for one office in different lines: %j', async (lines, fault) => {
    const before = await calendarOf(1)
    const path = officeCommand.file('c.csv', columns, ...lines)
    expect(await officeCommand.run('load-calendars', path)).toEqual({
      kind: 'refused',
      lines: [`c.csv, line 3: weekdays: ${fault}`],
    })
    expect(await calendarOf(1)).toEqual(before)
  })

  it('accepts "none" twice for one office', async () => {
    const path = officeCommand.file('c.csv', columns, '2,none,,,,,,,', '2,none,,,,,30,,')
    expect(await officeCommand.run('load-calendars', path)).toMatchObject({ kind: 'done' })
    expect(await calendarOf(2)).toMatchObject({ openings: [] })
  })
})

describe('load-whitelist (PAY31, D45)', () => {
  it('accepts phone numbers in common notations and e-mail addresses, and stores each once', async () => {
    const path = join(examples, 'whitelist.csv')
    expect((await officeCommand.run('load-whitelist', path)).lines[0]).toMatch(/^4 contacts: 4 added/)
    expect((await officeCommand.run('load-whitelist', path)).lines[0]).toMatch(/^4 contacts: 0 added/)
    const known = await server.services.db.selectFrom('whitelist').select('value').execute()
    expect(known.map(({ value }) => value).toSorted()).toEqual([
      '237671234567',
      '237699000001',
      'awa@example.cm',
      'bih@example.cm',
    ])
  })

  it('stores a contact in the form that a sign-in gives it (PAY31, D109)', async () => {
    const spelled = [
      '+33 (0)6 12 34 56 79',
      '+237 237 671 23 45 79',
      '+39 06 12 34 56 79',
      'andre\u0301@example.cm',
      '+7 8 912 345 67 89',
      'awa@xn--exampl-gva.cm',
    ]
    const path = officeCommand.file('spelled.csv', 'contact', ...spelled)
    expect((await officeCommand.run('load-whitelist', path)).lines[0]).toMatch(/^6 contacts: 6 added/)
    const known = await server.services.db.selectFrom('whitelist').select('value').execute()
    const [numbers, addresses] = [
      ['33612345679', '237671234579', '390612345679', '79123456789'],
      ['andr\u00e9@example.cm', 'awa@exampl\u00e9.cm'],
    ]
    expect(known.map(({ value }) => value)).toEqual(expect.arrayContaining([...numbers, ...addresses]))
  })

  it('makes the two contacts of a line one payment, also when the whitelist had one of them before, and when the file is loaded again (D96)', async () => {
    const { db } = server.services
    await officeCommand.run('load-whitelist', officeCommand.file('one.csv', 'contact', '+32 499 12 34 56'))
    const lines = [
      'contact,otherContact',
      'ngo@example.cm,+32 499 12 34 56',
      'eto@example.cm,+32 499 12 34 57',
    ]
    const path = officeCommand.file('pairs.csv', ...lines)
    for (const time of ['first', 'again'])
      expect((await officeCommand.run('load-whitelist', path)).kind, time).toBe('done')
    const rows = await db.selectFrom('whitelist').selectAll().orderBy('kind').orderBy('value').execute()
    const of = (value: string) => rows.find(row => row.value === value)
    expect(of('ngo@example.cm')?.entry).toBe(of('32499123456')?.entry)
    expect(of('eto@example.cm')?.entry).toBe(of('32499123457')?.entry)
    expect(of('eto@example.cm')?.entry).not.toBe(of('ngo@example.cm')?.entry)
  })

  it('refuses a line that adds a contact to a payment with two contacts or to a used one, and loads none (PAY31, D96)', async () => {
    const { db } = server.services
    const used = { entry: '00000000-0000-4000-8000-000000000001', used_at: server.services.clock.now() }
    await db
      .insertInto('whitelist')
      .values({ kind: 'phone', value: '32499123461', ...used })
      .execute()
    const before = await db.selectFrom('whitelist').select('value').orderBy('value').execute()
    const fault =
      'It cannot share a payment with the contact, because one of them belongs to another payment already.'
    const lines = [
      'contact,otherContact',
      '+32 499 12 34 58,family@example.cm',
      '+32 499 12 34 59,family@example.cm',
      'new@example.cm,+32 499 12 34 61',
    ]
    expect(await officeCommand.run('load-whitelist', officeCommand.file('family.csv', ...lines))).toEqual({
      kind: 'refused',
      lines: [`family.csv, line 3: otherContact: ${fault}`, `family.csv, line 4: otherContact: ${fault}`],
    })
    expect(await db.selectFrom('whitelist').select('value').orderBy('value').execute()).toEqual(before)
  })

  it('names the lines that are neither a phone number nor an e-mail address', async () => {
    const path = officeCommand.file('w.csv', 'contact', '06 71', 'awa@', '00237671234567')
    expect((await officeCommand.run('load-whitelist', path)).lines).toEqual([
      expect.stringContaining(
        'w.csv, line 2: contact: "06 71" is neither an e-mail address nor a phone number',
      ),
      expect.stringContaining('w.csv, line 3: contact: "awa@" is neither'),
    ])
  })

  it('names the lines whose number has no country code or cannot exist in its country', async () => {
    const good = ['+32 470 12 34 56', '237671234568', '0044 20 7946 0958']
    const bad = ['6 22 33 44 66', '+237 6 71 23 45', '237 9 71 23 45 67', '+237 237 971 23 45 67']
    const path = officeCommand.file('numbers.csv', 'contact', ...good, ...bad)
    expect((await officeCommand.run('load-whitelist', path)).lines).toEqual(
      bad.map((text, index) =>
        expect.stringContaining(`numbers.csv, line ${index + 5}: contact: "${text}" is neither`),
      ),
    )
    expect(
      (await officeCommand.run('load-whitelist', officeCommand.file('good.csv', 'contact', ...good)))
        .lines[0],
    ).toMatch(/^3 contacts: 3 added/)
  })
})

describe('move (D40, D45)', () => {
  it('moves all applications along the transition table or none, and frees the place on FAILED', async () => {
    const applicant = await signIn(server, { phone: '237671234567' })
    const { applicationId, number } = await createPaidApplication(server, applicant, firstPassport)
    const time = await findFreeTime(applicant, applicationId, '34')
    const body = { applicationId, officeId: '34', appointmentDate: time }
    const { id } = bodyOf(await applicant.call('createAppointment', { body })).data
    const places = async () =>
      (await server.services.db.selectFrom('place').where('appointment_id', '=', id).select('seat').execute())
        .length

    expect((await officeCommand.run('move', number, 'READY_FOR_CM')).lines).toEqual([
      `${number}: It is PAYMENT_DONE and can be moved only to FAILED.`,
    ])
    bodyOf(await applicant.call('confirmAppointment', { params: { id } }))
    const both = await officeCommand.run('move', number, 'CM-0', 'FAILED')
    expect(both).toEqual({ kind: 'refused', lines: ['CM-0: There is no such application.'] })
    expect(await places()).toBe(1)
    expect((await officeCommand.run('move', number, 'NEW')).kind).toBe('refused')
    expect((await officeCommand.run('move', number, 'FAILED', '--dry-run')).kind).toBe('done')
    expect(await places()).toBe(1)
    const second = await signIn(server, { phone: '237671234569' })
    const other = await createPaidApplication(server, second, { ...firstPassport, phoneNumber: '671234569' })
    expect((await officeCommand.run('move', number, other.number, 'FAILED')).lines).toEqual([
      '2 moved to FAILED.',
    ])
    expect(await places()).toBe(0)
    expect((await officeCommand.run('move', number, 'SENT_TO_CM')).lines).toEqual([
      `${number}: It is FAILED, and this command cannot move it.`,
    ])
  })
})

describe('payments, refunds (D42, D45)', () => {
  it('lists open payments and due refunds, and records a refund once', async () => {
    const applicant = await signIn(server, { phone: '237671234568' })
    const form = { ...firstPassport, phoneNumber: '671234568' }
    const { applicationId, number } = await createPaidApplication(server, applicant, form)
    expect((await officeCommand.run('payments', '--open')).lines).toEqual(['No payment is open.'])
    expect((await officeCommand.run('refunds')).lines).toEqual(['No payment is due back.'])
    const payment = {
      application_id: applicationId,
      method: 'MOCK',
      amount: 110_000,
      currency: 'XAF',
    } as const
    await server.services.db
      .insertInto('payment')
      .values([
        { ...payment, order_id: 'PO-OPEN', phone: '699000002' },
        { ...payment, order_id: 'PO-BACK', status: 'SUCCESS', refund_due: true, phone: '237699000001' },
      ])
      .execute()
    const open = await officeCommand.run('payments', '--open')
    expect(await officeCommand.run('payments')).toEqual(open)
    // Only a refund needs the whole phone number.
    expect(open.lines[1]).toMatch(
      new RegExp(String.raw`^PO-OPEN +${number} +MOCK +110000 XAF +\+237\*{7}02 `),
    )
    expect(open.lines.at(-1)).toBe('1 open. Times are UTC.')
    const due = await officeCommand.run('refunds')
    expect(due.lines[1]).toMatch(new RegExp(`^PO-BACK +${number} +MOCK +110000 XAF +237699000001 `))
    expect(await officeCommand.run('refunds', '--done', 'PO-BACK', '--done', 'PO-OPEN')).toEqual({
      kind: 'refused',
      lines: ['PO-OPEN: No payment of this order is due back.'],
    })
    expect((await officeCommand.run('refunds', '--done', 'PO-BACK')).lines).toEqual([
      '1 payment recorded as refunded.',
    ])
    expect((await officeCommand.run('refunds', '--done', 'PO-BACK')).kind).toBe('refused')
    const events = await server.services.db
      .selectFrom('payment_event')
      .innerJoin('payment', 'payment.id', 'payment_event.payment_id')
      .select('kind')
      .where('order_id', '=', 'PO-BACK')
      .execute()
    expect(events).toEqual([{ kind: 'refunded' }])
    const attempts = bodyOf(
      await applicant.call('listPaymentAttempts', { params: { id: applicationId } }),
    ).data
    expect(attempts.find(({ orderNumber }) => orderNumber === 'PO-BACK')?.state).toBe('REFUNDED')
  })
})

describe('verify (D44, D45)', () => {
  it('distinguishes the text of a genuine QR code, a forged one and any other text', async () => {
    const key = createPrivateKey(server.services.secrets.receiptPrivateKey)
    const fields = { name: 'NGO Marie', yearOfBirth: 1990, office: 'CNPP', date: '2026-12-01' }
    const text = signReceipt({ applicationNumber: 'CM-2026-0000001', ...fields }, key)
    const genuine = 'genuine: CM-2026-0000001, NGO Marie, born 1990, CNPP, 01.12.2026'
    expect(await officeCommand.run('verify', text)).toEqual({ kind: 'done', lines: [genuine] })
    const forged = text.replace('0000001', '0000002')
    const path = officeCommand.file('scans.txt', text, '', forged, 'https://example.cm')
    expect(await officeCommand.run('verify', '--file', path)).toEqual({
      kind: 'refused',
      lines: [genuine, `FORGED: ${forged}`, 'not the code of a receipt: https://example.cm'],
    })
    expect((await officeCommand.run('verify')).kind).toBe('refused')
  })

  it('prints no character of a code that the terminal would obey (D45)', async () => {
    expect(await officeCommand.run('verify', 'PP1.\u001b[2J\u202egenuine')).toEqual({
      kind: 'refused',
      lines: [String.raw`not the code of a receipt: PP1.\u{1b}[2J\u{202e}genuine`],
    })
  })
})
