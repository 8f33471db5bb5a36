import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Language } from '#contract/codes.ts'
import { formatDay } from '#i18n/format-date.ts'
import { answerAsServer } from '#support/browsers/answer-as-server.ts'
import type { Applicant } from '#support/browsers/applicant.ts'
import { findAxeFaults } from '#support/checks/axe-faults.ts'
import { dateInDays } from '#support/data/dates.ts'
import { isFullRun, testedLanguages } from '#support/test-tier.ts'
import { createKeyboard } from '#support/browsers/keyboard.ts'
import { openPaidApplication } from '#support/browsers/application-by-calls.ts'
import { readPdfText } from '#support/checks/pdf-text.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'

const fixture = joinBrowserFixture()
const home = '10998'
const vatican = '11202'
const britain = '11197'
const longTimeout = { timeout: 60_000 }

/** Each attempt of a test uses another applicant, so that the list has one application. */
let applicantCount = 0
const nextPhone = () => `6751${10_000 + (applicantCount += 1)}`

const heldForMinutes = { fr: /réservée encore \d+\sminutes/, en: /held for you for \d+\smore minutes/ }

describe.each(testedLanguages)(
  'an appointment with the keyboard only, in %s, on a phone in the time zone of Tokyo',
  language => {
    it('is booked and changed once, in the time zone of the office (APT01–APT05 APT07–APT13 APT15–APT24 ERR23 S10 S33 S44 S60)', async () => {
      const { page, context, faults, applicant } = await fixture.openWelcome(language, {
        timeZone: 'Asia/Tokyo',
      })
      const { t, heading } = applicant
      const keys = createKeyboard(page)
      await openPaidApplication(applicant, nextPhone())
      await page.getByRole('link', { name: t('procedure.open.appointment') }).press('Enter')
      await heading('appointment.heading')
      const booking = { applicant, keys, language }
      const slot = await selectSlot(booking)
      await finalizeSlot(booking, slot)
      const changeAddress = await changeAppointment(booking, slot)
      // Until the page has read the application again, it shows what was true before the change.
      await page.getByText(t('final.noChange.limit')).waitFor()
      expect(await applicant.button('button.changeAppointment').count()).toBe(0)
      expect(faults).toEqual({ requests: [], console: [] })

      await page.goto(changeAddress)
      await page.getByText(t('notice.changeRefused')).first().waitFor()
      await heading('final.heading')
      await context.close()
    })
  },
)

/** Opens the booking of a new application that is paid. */
async function openBooking(page: Page, applicant: Applicant): Promise<void> {
  await openPaidApplication(applicant, nextPhone())
  await page.getByRole('link', { name: applicant.t('procedure.open.appointment') }).click()
  await applicant.heading('appointment.heading')
}

describe.each(testedLanguages)('the failures of a booking, in %s', language => {
  it.runIf(isFullRun)(
    'each show a message, and the applicant can continue (APT02 APT05 APT13 ERR20–ERR22 ERR24 S18 S33)',
    async () => {
      const { page, context, applicant } = await fixture.openWelcome(language)
      const { t, named, button, heading } = applicant
      await openBooking(page, applicant)
      // The residence is in Douala.
      await expect.poll(() => named('city').inputValue(), longTimeout).toBe('2')
      await named('country').selectOption('')
      expect((await named('city').innerText()).trim()).toBe(t('select.firstSelectCountry'))
      expect((await named('officeId').innerText()).trim()).toBe(t('select.firstSelectCity'))
      await button('button.confirm').click()
      await page.getByText(t('issue.required')).first().waitFor()
      expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('country')
      expect(await findAxeFaults(page)).toEqual([])

      await named('country').selectOption(britain)
      await page.getByText(t('appointment.addressUnknown')).waitFor()
      await expect.poll(() => named('time').inputValue(), longTimeout).not.toBe('')
      const bookings = '**/api/v1/appointments?lg=*'
      const refuse = async (status: number, body: object) => {
        await page.route(bookings, route => answerAsServer(route, { status, json: body }), { times: 1 })
        await button('button.confirm').click()
      }
      await refuse(400, { statusCode: 13, message: 'Somebody was quicker.', data: { statusCode: 13 } })
      await page.getByText('Somebody was quicker.').first().waitFor()
      await refuse(400, { statusCode: 13, message: '', data: { statusCode: 13 } })
      await page.getByText(t('notice.timeTaken')).first().waitFor()
      await refuse(422, { statusCode: 422, message: '', data: { statusCode: 422 } })
      await page.getByText(t('notice.scheduleNotReady')).first().waitFor()

      await expect.poll(() => named('time').inputValue(), longTimeout).not.toBe('')
      await button('button.confirm').click()
      await heading('schedule.heading')
      await page.getByText(heldForMinutes[language]).waitFor()
      await finalizeExpired(page, applicant)
      await page.getByText(t('notice.reservationExpired')).first().waitFor()
      await heading('appointment.heading')

      await named('country').selectOption(britain)
      await expect.poll(() => named('time').inputValue(), longTimeout).not.toBe('')
      await button('button.confirm').click()
      await heading('schedule.heading')
      expect(await findAxeFaults(page)).toEqual([])

      await page.goBack()
      await heading('appointment.heading')
      await page.getByText(t('appointment.heldHeading')).waitFor()
      expect(await findAxeFaults(page)).toEqual([])
      await page.getByRole('link', { name: t('appointment.heldLink') }).click()
      await heading('schedule.heading')
      await button('button.cancel').click()
      await page.getByText(t('notice.appointmentCanceled')).first().waitFor()
      await heading('procedure.heading')
      await page.getByRole('link', { name: t('procedure.open.appointment') }).waitFor()
      await context.close()
    },
  )
})

// Rare states of the booking screens that the two tests above do not reach.
describe.each(testedLanguages)('the rare states of a booking, in %s', language => {
  it.runIf(isFullRun)(
    'each show a message: a watch for an earlier date, an expired change, and a refused change (ERR22 ERR23)',
    async () => {
      const { page, context, applicant } = await fixture.openWelcome(language)
      const { t, named, button, heading } = applicant
      await openBooking(page, applicant)
      const late = dateInDays(40)
      const dates = '**/available-dates*'
      await page.route(dates, route => answerAsServer(route, { json: { data: { data: [late] } } }))
      await named('country').selectOption(britain)
      await page.getByText(t('appointment.watchWhy', { most: 3 })).waitFor()
      expect(await findAxeFaults(page)).toEqual([])
      await button('appointment.watchStart').click()
      const [untilDay = ''] = t('appointment.watchBefore').split('{day}')
      await page.getByText(untilDay).waitFor()
      expect(await findAxeFaults(page)).toEqual([])
      await button('appointment.watchStop').click()
      await page.getByText(t('appointment.watchWhy', { most: 3 })).waitFor()
      await page.unroute(dates)

      await page.reload()
      await applicant.bookPlace()
      await applicant.finalize()
      await button('button.changeAppointment').click()
      await heading('appointment.changeHeading')
      const reserveInLondon = async () => {
        await named('country').selectOption(britain)
        await expect.poll(() => named('time').inputValue(), longTimeout).not.toBe('')
        await button('button.confirm').click()
      }
      await reserveInLondon()
      await heading('schedule.heading')
      await finalizeExpired(page, applicant)
      await page.getByText(t('notice.reservationExpired')).first().waitFor()
      await heading('appointment.changeHeading')
      const refusal = { statusCode: 409, message: '', data: { statusCode: 409 } }
      await page.route('**/api/v1/appointments/*?lg=*', route =>
        route.request().method() === 'POST'
          ? answerAsServer(route, { status: 409, json: refusal })
          : route.continue(),
      )
      await reserveInLondon()
      await page.getByText(t('notice.changeRefused')).first().waitFor()
      await heading('procedure.heading')
      await context.close()
    },
  )
})

describe.each(testedLanguages)('the lists of a booking that fail to load once, in %s', language => {
  it.runIf(isFullRun)(
    'load again after a press of Retry; a single time is selected by itself, and Confirm asks for a time on a day without times (ERR19 S10)',
    async () => {
      const { page, context, applicant } = await fixture.openWelcome(language, { serviceWorkers: 'block' })
      const { t, named, button, heading } = applicant
      await openPaidApplication(applicant, nextPhone())
      const broken = { status: 500, json: { statusCode: 500 } }
      const lists = ['countries', 'countries/*/cities', 'offices', 'offices/*/available-dates']
      for (const list of [...lists, 'offices/*/available-slots'])
        await page.route(`**/api/v1/appointments/${list}?*`, route => answerAsServer(route, broken), {
          times: 1,
        })
      const retry = () => button('button.retry').click()
      await page.getByRole('link', { name: t('procedure.open.appointment') }).click()
      await heading('appointment.heading')
      await retry()
      await named('country').selectOption(britain)
      await retry()
      await expect.poll(() => named('city').inputValue(), longTimeout).not.toBe('')
      await retry()
      await expect.poll(() => named('officeId').inputValue(), longTimeout).not.toBe('')
      await page.getByRole('main').getByText(t('select.fetchOptionsError')).waitFor()
      expect(await findAxeFaults(page)).toEqual([])
      await retry()
      await expect
        .poll(async () => (await named('time').innerText()).trim(), longTimeout)
        .toBe(t('select.fetchOptionsError'))
      await retry()
      await expect.poll(() => named('time').inputValue(), longTimeout).not.toBe('')

      const [, second = '', third = ''] = await optionsOf(page, 'date')
      const answerSlots = (slots: string[]) =>
        page.route('**/available-slots?*', route =>
          answerAsServer(route, { json: { data: { data: slots } } }),
        )
      await answerSlots(['10:00:00'])
      await named('date').selectOption(second)
      await expect.poll(() => named('time').inputValue(), longTimeout).toBe('10:00:00')
      await answerSlots([])
      await named('date').selectOption(third)
      await expect.poll(() => named('time').inputValue(), longTimeout).toBe('')
      await button('button.confirm').click()
      await page.getByText(t('notice.chooseTime')).first().waitFor()
      await page.getByText(t('issue.required')).first().waitFor()
      await context.close()
    },
  )
})

/** Presses Finalize, with answers as if the hold had expired at this moment. */
async function finalizeExpired(page: Page, { button }: Applicant) {
  await page.route('**/confirm?lg=*', route => answerAsServer(route, { json: { data: false } }), { times: 1 })
  const id = new URL(page.url()).pathname.split('/').at(-1)
  const readOnce = (url: URL) => url.pathname === `/api/v1/appointments/${id}`
  const expired = { id, appointmentDate: null, holdSeconds: 0 }
  await page.route(readOnce, route => answerAsServer(route, { json: { data: expired } }), { times: 1 })
  await button('button.finalize').click()
}

describe('a reservation', () => {
  it.runIf(isFullRun)(
    'counts down on the screen to its expiry, and shows the remaining time of the server after a reload (APT18, D41)',
    async () => {
      const { page, context, applicant } = await fixture.openWelcome('en')
      const { t, heading } = applicant
      await page.clock.install()
      await openBooking(page, applicant)
      await applicant.bookPlace()
      await page.getByText(/held for you/).waitFor()
      await page.clock.fastForward(15_000)
      await page.getByText('held for you for 9 more minutes').waitFor()
      await page.clock.fastForward(8 * 60_000)
      await page.getByText('held for you for 1 more minute.').waitFor()
      // Keyboard activity, so that the session does not end before the reservation.
      await page.keyboard.press('Tab')
      await page.clock.fastForward(60_000)
      await page.getByText(t('schedule.heldBriefly')).waitFor()
      await page.clock.fastForward(60_000)
      await page.getByText(t('notice.reservationExpired')).waitFor()
      expect(await findAxeFaults(page)).toEqual([])
      await applicant.button('schedule.chooseAgain').click()
      await heading('appointment.heading')
      await page.getByRole('link', { name: t('appointment.heldLink') }).click()
      await heading('schedule.heading')
      // Only the phone's clock was moved: after a reload the remaining time is the server's.
      await page.reload()
      await page.getByText(/held for you for \d+\smore minutes/).waitFor()
      await context.close()
    },
  )
})

type Booking = { applicant: Applicant; keys: ReturnType<typeof createKeyboard>; language: Language }
/** A date and a time, as the values of their options. */
type Slot = { date: string; time: string }

/** Selects a country, an office, a date in the calendar and a time, then presses Confirm. */
async function selectSlot({ applicant, keys, language }: Booking): Promise<Slot> {
  const { page, t, named } = applicant
  // The page starts from the residence, which is in Douala.
  await expect.poll(() => named('city').inputValue(), longTimeout).toBe('2')
  await keys.tabTo({ name: 'country' })
  await keys.choose(vatican)
  await page.getByRole('heading', { name: t('appointment.generalQueue') }).waitFor()
  expect([await named('city').inputValue(), await named('officeId').inputValue()]).not.toContain('')
  await keys.choose(home)
  await expect.poll(() => named('city').inputValue(), longTimeout).toBe('')
  expect([await named('officeId').inputValue(), await named('time').count()]).toEqual(['', 0])
  await chooseFirstSlot(applicant, keys)
  await page.getByText('Tongolo').waitFor()
  // Chooses a later day, because an appointment that starts in less than 24 hours cannot be changed.
  const [first = '', , , date = ''] = await optionsOf(page, 'date')
  expect(await named('date').inputValue()).toBe(first)
  expect(await named('time').inputValue()).toBe((await optionsOf(page, 'time'))[0])

  const grid = page.getByRole('grid', { name: t('calendar.label') })
  await expectDates(page, grid, language)
  await keys.tabTo({ role: 'grid' })
  for (let days = 0; days < 3; days += 1) await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect.poll(() => named('date').inputValue(), longTimeout).toBe(date)
  await grid.getByRole('gridcell', { selected: true }).waitFor()
  await expect.poll(async () => (await optionsOf(page, 'time')).length, longTimeout).toBeGreaterThan(2)
  await keys.tabTo({ name: 'time' })
  const [, , time = ''] = await optionsOf(page, 'time')
  await keys.choose(time)
  expect(await findAxeFaults(page)).toEqual([])
  await keys.pressButton(t('button.confirm'))
  return { date, time }
}

/** Expects date and time of the reservation, finalizes it, and expects its time on the final page and the receipt. */
async function finalizeSlot({ applicant, keys, language }: Booking, { date, time }: Slot) {
  const { page, t, heading } = applicant
  await heading('schedule.heading')
  const main = page.getByRole('main')
  await main.getByText(formatDay(date, language)).waitFor()
  await main.getByText(time.slice(0, 5)).first().waitFor()
  expect(await findAxeFaults(page)).toEqual([])
  const receipt = page.waitForEvent('download')
  await keys.pressButton(t('button.finalize'))
  await heading('final.heading')
  await page.getByText(t('notice.accepted')).first().waitFor()
  await main.getByText(time.slice(0, 5)).first().waitFor()
  expect(await readPdfText(await (await receipt).path())).toContain(time.slice(0, 5))
}

/** Cancels one change and finalizes another. Returns the URL of the change. */
async function changeAppointment(booking: Booking, slot: Slot): Promise<string> {
  const { applicant, keys } = booking
  const { page, t, heading } = applicant
  const main = page.getByRole('main')
  await applicant.button('button.changeAppointment').press('Enter')
  await heading('appointment.changeHeading')
  await page.getByText(t('appointment.current')).waitFor()
  expect(await findAxeFaults(page)).toEqual([])
  const changeAddress = page.url()
  await reserveAnother(booking, slot)
  // Cancelling the new reservation keeps the booked appointment.
  await keys.press(t('button.cancel'))
  await heading('final.heading')
  await main.getByText(slot.time.slice(0, 5)).first().waitFor()
  expect(await page.getByText(t('notice.appointmentCanceled')).count()).toBe(0)

  await keys.press(t('button.changeAppointment'))
  await heading('appointment.changeHeading')
  await page.getByText(t('appointment.current')).waitFor()
  await reserveAnother(booking, slot)
  const newReceipt = page.waitForEvent('download')
  await keys.press(t('button.finalize'))
  await heading('final.heading')
  await newReceipt
  return changeAddress
}

/** Reserves a slot on another day. */
async function reserveAnother({ applicant, keys, language }: Booking, { date }: Slot) {
  const { page, t, named, heading } = applicant
  const main = page.getByRole('main')
  // The page starts from the booked office and date.
  await expect.poll(() => named('date').inputValue(), longTimeout).toBe(date)
  expect(await named('officeId').inputValue()).toBe('1')
  const [first = ''] = await optionsOf(page, 'date')
  await keys.tabTo({ name: 'date' })
  await keys.choose(first)
  await expect.poll(() => named('time').inputValue(), longTimeout).not.toBe('')
  await keys.press(t('button.confirm'))
  await heading('schedule.heading')
  await main
    .getByText(/\d\d:\d\d/)
    .first()
    .waitFor()
  expect(await main.innerText()).not.toContain(formatDay(date, language))
}

/** Chooses a city and an office in Cameroon; the page then selects the first date and time. */
async function chooseFirstSlot({ named }: Applicant, keys: ReturnType<typeof createKeyboard>) {
  await keys.tabTo({ name: 'city' })
  await keys.choose('1')
  await keys.tabTo({ name: 'officeId' })
  await keys.choose('1')
  await expect.poll(() => named('time').inputValue(), longTimeout).not.toBe('')
}

/** Expects the calendar to enable exactly the dates of the first month of the list, each with its full name. */
async function expectDates(page: Page, grid: ReturnType<Page['getByRole']>, language: Language) {
  const dates = await optionsOf(page, 'date')
  const [month = ''] = dates.map(date => date.slice(0, 7))
  const enabled = grid.getByRole('button', { disabled: false })
  const names = await enabled.evaluateAll(days => days.map(day => day.getAttribute('aria-label')))
  expect(names).toEqual(dates.filter(date => date.startsWith(month)).map(date => formatDay(date, language)))
}

function optionsOf(page: Page, name: string): Promise<string[]> {
  return page
    .locator(`main [name="${name}"] option`)
    .evaluateAll(options => options.map(option => option.getAttribute('value') ?? '').filter(Boolean))
}
