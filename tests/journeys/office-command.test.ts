import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { isFullRun } from '#support/test-tier.ts'
import { firstPassport } from '#support/data/applicants.ts'
import type { Applicant } from '#support/browsers/applicant.ts'
import { findAxeFaults } from '#support/checks/axe-faults.ts'
import { runOfficeCommand } from '#support/servers/run-office-command.ts'
import { openTestDatabase } from '#support/servers/test-databases.ts'
import { type Message, until } from '#support/servers/portal.ts'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { formatDay } from '#i18n/format-date.ts'
import { textsOf } from '#support/data/texts.ts'

const folder = mkdtempSync(join(tmpdir(), 'office-'))
const fixture = startBrowserFixture({}, { hasEmbeddedDatabase: true })

afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, ...lines: string[]): string {
  writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
  return name
}

const vatican = '11202'
const vaticanOffice = '48'

// In the daily run server tests cover both halves.
describe.runIf(isFullRun)('an office that opens and closes (D45, F10)', () => {
  it('notifies an applicant who watches for a date, and offers the booking without a payment after a cancellation', async () => {
    const { context, applicant } = await fixture.openWelcome('fr')
    await applicant.signInByPhone('675 67 89 01')
    await applicant.startApplication()
    const number = await applicant.applicationNumber()
    await applicant.fillForm({ ...firstPassport, phoneNumber: '675678901', selectNic: '1' })
    await applicant.confirmData()
    await applicant.payByDemonstration()
    await startWatch(applicant)
    await openOffice(number)
    const day = await bookFirstDay(applicant)
    await closeOffice(day)
    await seeCancelledAppointment(applicant, day)
    await context.close()
  })
})

/** The only office of the country has no date: the applicant starts a watch. */
async function startWatch({ page, t, named, button }: Applicant) {
  await named('country').selectOption(vatican)
  await page.getByText(t('appointment.watchWhy', { most: 3 })).waitFor()
  expect(await findAxeFaults(page)).toEqual([])
  await button('appointment.watchStart').click()
  await page.getByText(t('appointment.watchAny', { office: 'Ambassade du Cameroun – Vatican' })).waitFor()
  await button('appointment.watchStop').waitFor()
  expect(await focusedText(page)).toBe(t('appointment.watchStop'))
  await page.getByRole('button', { name: 'EN', exact: true }).click()
  await page.getByRole('heading', { name: textsOf('en')('appointment.watchAnyDate') }).waitFor()
  await page.getByText('You will be told as soon as a date opens: Embassy of Cameroon – Vatican.').waitFor()
  expect(await findAxeFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'FR', exact: true }).click()
  await button('appointment.watchStop').waitFor()
}

/** Loads the calendar of the office. With the embedded database this is possible only while the server is stopped. */
async function openOffice(number: string) {
  const portal = fixture.portal()
  const data = { DATA_DIR: portal.dataDir }
  const calendar = file(
    'vatican.csv',
    'office,weekdays,opens,closes,slotMinutes,capacity',
    `${vaticanOffice},mon-sun,09:00,12:00,30,4`,
  )
  const whileOpen = await runOfficeCommand(data, folder, 'load-calendars', calendar)
  expect(whileOpen).toMatchObject({ code: 1, output: '' })
  expect(whileOpen.errorOutput).toContain('The server has the database in')
  await portal.stop()
  expect((await runOfficeCommand(data, folder, 'load-calendars', calendar)).code).toBe(0)
  await portal.start()
  const news = await messageOf('watch')
  expect(news).toMatchObject({ to: '237675678901', channel: 'sms' })
  expect(news.text).toContain(`Passeport ${number} : une place est libre le `)
}

/** The applicant stops the watch and books the first free day. Returns that day, YYYY-MM-DD. */
async function bookFirstDay(applicant: Applicant): Promise<string> {
  const { page, named, button } = applicant
  await page.reload()
  await named('country').selectOption(vatican)
  await expect.poll(() => named('time').inputValue()).not.toBe('')
  await page.getByText('1 message sur 3 a été envoyé.').waitFor()
  await button('appointment.watchStop').click()
  await button('appointment.watchStop').waitFor({ state: 'detached' })
  const day = await named('date').inputValue()
  await button('button.confirm').click()
  await applicant.heading('schedule.heading')
  await applicant.finalize()
  return day
}

async function closeOffice(day: string) {
  const portal = fixture.portal()
  const data = { DATA_DIR: portal.dataDir }
  await portal.stop()
  const closed = await runOfficeCommand(data, folder, 'close-day', vaticanOffice, day, '--reason', 'Holiday')
  expect(closed.output).toContain(`is closed on ${day}: 1 booking cancelled, 0 reservations ended.`)
  await portal.start()
  const loss = await messageOf('day-closed')
  expect(loss.text).toContain(`ferme le ${day.split('-').toReversed().join('.')}`)
}

/** The applicant finds the cancelled appointment, and the booking screen without a payment. */
async function seeCancelledAppointment({ page, t, heading }: Applicant, day: string) {
  await page.goto('/procedure')
  await page.getByText(t('state.APPOINTMENT_CANCELED')).waitFor()
  await page.getByRole('link', { name: t('procedure.open.appointment') }).click()
  await heading('appointment.heading')
  await page.getByRole('heading', { name: t('appointment.closedHeading') }).waitFor()
  await page.getByText(formatDay(day, 'fr')).waitFor()
  expect(await findAxeFaults(page)).toEqual([])
}

describe.runIf(isFullRun)('the office command in a shell (D45)', () => {
  it('works on PostgreSQL, names the bad line of a file, and sets the exit code', async () => {
    const database = await openTestDatabase('postgresql')
    try {
      const env = { DATABASE_URL: database.databaseUrl, DATA_DIR: join(folder, 'none') }
      const bad = file(
        'offices.csv',
        'id,country,cityFr,nameFr,nameEn,timeZone',
        '1,CM,Kribi,Un,One,Africa/Kribi',
      )
      expect(await runOfficeCommand(env, folder, 'migrate')).toMatchObject({ code: 0, errorOutput: '' })
      expect(await runOfficeCommand(env, folder, 'load-offices', bad)).toEqual({
        code: 1,
        output: '',
        errorOutput:
          'offices.csv, line 2: timeZone: "Africa/Kribi" is not a time zone such as Africa/Douala.\n',
      })
      const good = await runOfficeCommand(
        env,
        folder,
        'load-offices',
        fileURLToPath(new URL('../../docs/examples/offices.csv', import.meta.url)),
      )
      expect(good).toMatchObject({ code: 0, errorOutput: '' })
      expect(good.output).toMatch(/^55 offices: 55 added, 0 changed, 0 as they were\.\n/)
      const count = await database.db.selectFrom('office').select('id').execute()
      expect(count).toHaveLength(55)
    } finally {
      await database.close()
    }
  })

  it('exits with 2 for an unknown command, and prints an error when it finds no database', async () => {
    expect(await runOfficeCommand({}, folder, 'close')).toMatchObject({ code: 2, output: '' })
    const lost = await runOfficeCommand({ DATA_DIR: join(folder, 'none') }, folder, 'payments')
    expect(lost).toMatchObject({ code: 1, errorOutput: expect.stringContaining('There is no database in') })
  })
})

function focusedText(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.textContent)
}

function messageOf(kind: string): Promise<Message> {
  return until(`a message of kind ${kind}`, async () =>
    fixture
      .portal()
      .messages()
      .find(each => each.kind === kind),
  )
}
