import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#support/server.ts'
import { openOfficeDesk, type OfficeDesk } from './office-desk.ts'

const header = 'id,country,cityFr,cityEn,nameFr,nameEn,address,timeZone,active'
const example = new URL('../../../docs/examples/offices.csv', import.meta.url).pathname

let server: TestServer
let office: OfficeDesk

beforeAll(async () => {
  server = await startTestServer()
  office = openOfficeDesk(server.services)
})
afterAll(async () => {
  office.close()
  await server.close()
})

const listAll = () => server.services.db.selectFrom('office').selectAll().orderBy('id').execute()
const find = (id: number) =>
  server.services.db
    .selectFrom('office')
    .innerJoin('city', 'city.id', 'office.city_id')
    .select(['office.name_fr', 'office.active', 'city.name_en as city', 'office.country_id'])
    .where('office.id', '=', id)
    .executeTakeFirst()

describe('load-offices (D45)', () => {
  it('takes the example, which is the demo’s own list, and changes nothing', async () => {
    const before = await listAll()
    const { kind, lines } = await office.run('load-offices', example)
    expect(kind).toBe('done')
    expect(lines).toEqual([
      '55 offices: 0 added, 0 changed, 55 as they were.',
      'Without opening hours, so only with a general queue: 48. See load-calendars.',
    ])
    expect(await listAll()).toEqual(before)
  })

  it('adds and changes what the file names, and leaves the others', async () => {
    const path = office.file(
      'new.csv',
      header,
      '200,CM,Kribi,,"Commissariat, Kribi",Kribi police station,Plage,Africa/Douala,yes',
      '201,ca,Montréal,Montreal,Consulat,Consulate,,America/Toronto,',
      '3,CM,Yaoundé,,Nouveau nom,New name,,Africa/Douala,no',
    )
    const { lines } = await office.run('load-offices', path)
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

  it('does everything in a dry run, and takes it back', async () => {
    const before = await listAll()
    const path = office.file('dry.csv', header, '300,FR,Lyon,,Consulat,Consulate,,Europe/Paris,yes')
    const { lines } = await office.run('load-offices', path, '--dry-run')
    expect(lines[0]).toBe('1 offices: 1 added, 0 changed, 0 as they were.')
    expect(lines.at(-1)).toBe('A dry run: nothing was changed.')
    expect(await listAll()).toEqual(before)
  })

  it('reads what spreadsheets write: semicolons, a byte order mark, quotation marks, line breaks in cells', async () => {
    const path = office.file(
      'sheet.csv',
      `\ufeff${header.replaceAll(',', ';')}\r`,
      '300;FR;Lyon;;Consulat "de Lyon";Consulate;"1 rue A\n69000 Lyon";Europe/Paris;yes\r'.replace(
        'Consulat "de Lyon"',
        '"Consulat ""de Lyon"""',
      ),
      ';;;;;;;;\r',
      '301;FR;Lyon;;;;;Europe/Paris;yes\r',
    )
    const { kind, lines } = await office.run('load-offices', path)
    expect(kind).toBe('refused')
    expect(lines).toEqual([
      'sheet.csv, line 5: nameFr: It must be filled in.',
      'sheet.csv, line 5: nameEn: It must be filled in.',
    ])
    expect(await find(300)).toBeUndefined()
  })

  it('names the line and the column of all that is wrong, and changes nothing', async () => {
    const before = await listAll()
    const path = office.file(
      'bad.csv',
      header,
      '400,CM,Kribi,,Un,One,,Africa/Douala,yes',
      '0,XX,,,Un,One,,Africa/Kribi,maybe',
      '402,CM,Kribi,,Un,One',
    )
    const { kind, lines } = await office.run('load-offices', path)
    expect(kind).toBe('refused')
    expect(lines).toEqual([
      'bad.csv, line 3: id: "0" is not a whole number from 1 to 999999999.',
      'bad.csv, line 3: country: "XX" is not a country by its two letters, as CM.',
      'bad.csv, line 3: cityFr: It must be filled in.',
      'bad.csv, line 3: timeZone: "Africa/Kribi" is not a time zone, as Africa/Douala.',
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
      /^x\.csv, line 3: id: 5 stands on line 2/,
    ],
  ])('%j is refused', async (lines, fault) => {
    const refusal = await office.run('load-offices', office.file('x.csv', ...lines))
    expect(refusal.kind).toBe('refused')
    expect(
      refusal.lines.some(line => fault.test(line)),
      refusal.lines.join('\n'),
    ).toBe(true)
  })

  it('says when there is no such file, when it is empty, and when it is not UTF-8', async () => {
    expect((await office.run('load-offices', '/nowhere/o.csv')).lines).toEqual([
      '/nowhere/o.csv: There is no such file.',
    ])
    expect((await office.run('load-offices', office.file('empty.csv'))).lines).toEqual([
      'empty.csv: It is empty.',
    ])
    const latin = join(office.folder, 'latin.csv')
    writeFileSync(latin, Buffer.from(readFileSync(example, 'utf8'), 'latin1'))
    expect((await office.run('load-offices', latin)).lines).toEqual([
      'latin.csv: It is not UTF-8. Save it as "CSV UTF-8".',
    ])
  })
})
