import { createPrivateKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import type { FormValues } from '#contract/application.ts'
import type { Language } from '#contract/codes.ts'
import type { ReceiptFields } from '#contract/receipt-code.ts'
import type { ApplicationState } from '#contract/states.ts'
import { applicationNumber } from '#server/features/applications/application-number.ts'
import { columnIsContact } from '#server/database/contact-values.ts'
import { signReceipt } from '#server/features/receipt/qr-signature.ts'
import { machineClock } from '#server/config/machine-clock.ts'
import { answerAsServer } from '#support/browsers/answer-as-server.ts'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { findAxeFaults } from '#support/checks/axe-faults.ts'
import { firstPassport, minorWithRepresentative, renewalBornAbroad } from '#support/data/applicants.ts'
import { launchWithProfile } from '#support/browsers/chromium.ts'
import { openTestDatabase } from '#support/servers/test-databases.ts'
import { goldenContent, goldenReceipts } from '#support/data/golden-receipts.ts'
import { readPdfText } from '#support/checks/pdf-text.ts'
import { servicesOn } from '#support/servers/services-on.ts'
import { until } from '#support/servers/portal.ts'
import { createRandom, type Random } from '#support/data/random.ts'
import { isFullRun, testedLanguages } from '#support/test-tier.ts'
import { waitForWorker } from '#support/browsers/wait-for-worker.ts'
import { readTickAnimation } from '#support/browsers/read-tick-animation.ts'
import { showReceipt } from '#support/browsers/show-receipt.ts'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'

/** The test writes directly into the database, because only an operator's command sets some of the states. */
const database = await openTestDatabase('postgresql')
const fixture = startBrowserFixture({ DATABASE_URL: database.databaseUrl })
afterAll(() => database.close())

type Booked = { id: string; number: string; appointmentId: string }
type Case = {
  form: FormValues
  state: ApplicationState
  /** Undefined: the general queue. */
  startsAt?: string
  changesUsed?: number
  paid?: boolean
}

/** The optional parts of the page, and the answers that show each part but the payment (FIN04, CNF02–CNF04, S63). */
const optionalParts = {
  nic: {
    selectNic: '2',
    nicNumber: '110123456789',
    nicPlaceOfIssuance: 'Yaoundé',
    nicDateOfIssuance: '2021-05-10',
    nicDateOfExpiry: '2091-05-10',
  },
  passport: { reason: '11212', eppNumber: 'AA0123456', eppDateOfIssuance: '2017-08-01' },
  parents: { motherSurname: 'Ngo Mbock', fatherSurname: 'Biyong' },
  representative: minorWithRepresentative,
  payment: {},
} satisfies Record<string, Partial<FormValues>>
type Part = keyof typeof optionalParts
const allParts = Object.keys(optionalParts) as Part[] // keys of the literal above

const bareForm: FormValues = {
  ...firstPassport,
  selectNic: '1',
  nicNumber: '',
  nicPlaceOfIssuance: '',
  nicDateOfIssuance: '',
  nicDateOfExpiry: '',
  motherSurname: '',
  motherGivenName: '',
  fatherSurname: '',
  fatherGivenName: '',
  addReprData: '',
}

/** Returns the answers of a form with these parts alone. */
function formWith(...parts: Part[]): FormValues {
  const { representative, ...others } = optionalParts
  const start = parts.includes('representative')
    ? { ...representative, motherSurname: '', motherGivenName: '', fatherSurname: '' }
    : bareForm
  return Object.assign({ ...start }, ...parts.map(part => others[part as keyof typeof others]))
}

const fullForm = formWith(...allParts)

let createdCount = 0

async function createBooked(phone: string, { form, state, startsAt, changesUsed = 0, paid = true }: Case) {
  const { db } = await servicesOn(database.db)
  const { applicant_id } = await db
    .selectFrom('contact')
    .select('applicant_id')
    .where(columnIsContact('value', `237${phone}`))
    .executeTakeFirstOrThrow()
  createdCount += 1
  const number = applicationNumber('2026', createdCount)
  const { rows } = await sql<Booked>`
    with booked as (
      insert into application (applicant_id, number, state, data, draft, changes_used, appointment_id)
      values (${applicant_id}, ${number}, ${state}, ${JSON.stringify(form)}::jsonb, false, ${changesUsed},
        gen_random_uuid())
      returning id, number, appointment_id)
    insert into appointment (id, application_id, office_id, starts_at, general_queue, state, confirmed_at)
    select appointment_id, id, 1, ${startsAt ?? null}::timestamp, ${startsAt === undefined}, 
      ${state === 'APPOINTMENT_CANCELED' ? 'CANCELED' : 'CONFIRMED'}, now() from booked
    returning application_id as id, id as "appointmentId", ${number} as number`.execute(db)
  const [booked] = rows
  if (!booked) throw new Error('no application')
  if (paid)
    await db
      .insertInto('payment')
      .values({
        application_id: booked.id,
        order_id: `PAY-${number}`,
        method: 'MOCK',
        status: 'SUCCESS',
        amount: 110_000,
        currency: 'XAF',
        settled_at: sql<Date>`now()`,
      })
      .execute()
  return booked
}

function addressOf({ id, number, appointmentId }: Booked): string {
  return `/final/${id}/${number}/${appointmentId}`
}

/** A day of next year, which is late enough for a change. */
const startsAt = `${machineClock.now().getFullYear() + 1}-06-15T09:30:00`

/** Every state that opens the page, with each optional part alone, with none and with all. */
const variants = bookedVariants()

function bookedVariants() {
  const states = [
    { state: 'APPOINTMENT_SCHEDULED', startsAt, mayChange: true },
    { state: 'APPOINTMENT_CHANGED', startsAt, changesUsed: 1, mayChange: false },
    { state: 'APPOINTMENT_SCHEDULED', mayChange: true },
    { state: 'READY_FOR_CM', startsAt, mayChange: false },
    { state: 'SENT_TO_CM', startsAt, mayChange: false },
  ] satisfies (Omit<Case, 'form'> & { mayChange: boolean })[]
  const choices: Part[][] = [[], ...allParts.map(part => [part]), allParts]
  return states.flatMap(state => choices.map(parts => ({ ...state, parts })))
}

describe('the final page', () => {
  it.runIf(isFullRun).each(testedLanguages)(
    'shows exactly the sections that belong to each state and form, in %s (FIN01–FIN13)',
    async language => {
      const phone = language === 'fr' ? '676100001' : '676100002'
      const { page, context, applicant } = await fixture.openSignedIn(language, phone)
      const { t } = applicant
      const openCase = (each: Case) => openFinal(page, applicant, () => createBooked(phone, each))

      const scheduled = await openCase({ form: fullForm, state: 'APPOINTMENT_SCHEDULED', startsAt })
      await expectScheduled(applicant, scheduled, language)

      const changed = await openCase({
        form: bareForm,
        state: 'APPOINTMENT_CHANGED',
        startsAt,
        changesUsed: 1,
      })
      expect(changed.sections).toEqual(sectionsOf(applicant, ['payment']))
      expect(changed.change).toBe('')
      expect(changed.text).not.toContain(t('paper.parentalConsent'))
      expect(await findAxeFaults(page)).toEqual([])

      const queued = await openCase({ form: renewalBornAbroad, state: 'APPOINTMENT_SCHEDULED', paid: false })
      expect(queued.sections).toEqual(sectionsOf(applicant, ['passport', 'parents']))
      expect(queued.appointment).toMatchObject({ [t('schedule.date')]: t('appointment.generalQueue') })
      expect(Object.keys(queued.appointment)).not.toContain(t('schedule.time'))
      expect(queued.change).toBe(t('final.changeOnce'))
      expect(await page.getByRole('button', { name: t('button.addToCalendar') }).count()).toBe(0)

      for (const each of variants) {
        const form = formWith(...each.parts)
        const shown = await openCase({ ...each, form, paid: each.parts.includes('payment') })
        await expectVariant(applicant, shown, each)
      }

      await page.goto(
        addressOf(await createBooked(phone, { form: fullForm, state: 'APPOINTMENT_CANCELED', startsAt })),
      )
      await applicant.heading('appointment.heading')
      await applicant.named('country').waitFor()
      expect(await findAxeFaults(page)).toEqual([])

      await page.goto(addressOf(scheduled))
      await applicant.heading('final.heading')
      await page.getByRole('button', { name: t('button.changeAppointment') }).click()
      await applicant.heading('appointment.changeHeading')
      await applicant.named('country').selectOption('11037')
      await page.locator('summary', { hasText: /^(?:À apporter\s: |What to bring: )\d/ }).click()
      await page.getByText(t('paper.consularCard'), { exact: true }).waitFor()
      await page.goBack()
      await applicant.heading('final.heading')
      await applicant.button('button.close').click()
      await applicant.heading('procedure.heading')
      await context.close()
    },
    900_000,
  )
})

describe('the tick of the booking', () => {
  it('is drawn in 200 ms, and is shown at once when the device asks for less motion', async () => {
    const { page, context, applicant } = await fixture.openSignedIn('fr', '676100009')
    await openFinal(page, applicant, () =>
      createBooked('676100009', { form: bareForm, state: 'APPOINTMENT_SCHEDULED', startsAt }),
    )
    expect(await readTickAnimation(page)).toEqual({ usual: '0.2s', reduced: 'none' })
    await context.close()
  })
})

describe('an application with a deletion date', () => {
  it.runIf(isFullRun)('shows the date on its card in the list (F12)', async () => {
    const { page, context, applicant } = await fixture.openSignedIn('en', '676100003')
    const booked = await createBooked('676100003', {
      form: bareForm,
      state: 'APPOINTMENT_CANCELED',
      startsAt,
    })
    await sql`update application set state = 'DATA_SAVED', appointment_id = null where id = ${booked.id}`.execute(
      database.db,
    )
    await page.reload()
    const [before = ''] = applicant.t('procedure.deletedUnpaid', { date: '|' }).split('|')
    await page.getByText(new RegExp(String.raw`^${before}\p{L}+,?\s\d\S*\s\p{L}+\s\d{4}\.$`, 'u')).waitFor()
    expect(await findAxeFaults(page)).toEqual([])
    await context.close()
  })
})

describe('the receipt on a phone (F7)', () => {
  it.runIf(isFullRun)(
    'comes with a calendar entry; opens, prints and is shared offline after a restart of the browser, but does not open after the log-out',
    async () => {
      const profile = mkdtempSync(join(tmpdir(), 'profile-'))
      const { origin } = fixture.portal()
      const start = () =>
        launchWithProfile(profile, { baseURL: origin, acceptDownloads: true, locale: 'fr-CM' })
      let context = await start()
      const page = await context.newPage()
      const online = createApplicant(page, fixture.portal(), 'en')
      await online.chooseLanguage()
      await online.signInByPhone('676100004')
      const booked = await createBooked('676100004', {
        form: fullForm,
        state: 'APPOINTMENT_SCHEDULED',
        startsAt,
      })
      await whenWorkerControls(page)
      await page.goto(addressOf(booked))
      await online.heading('final.heading')
      await page.getByText('PAY-PP').waitFor()
      await downloadAll(online, booked)
      await page.goto('/procedure')
      await page.getByText(booked.number).first().waitFor()
      await context.close()

      await fixture.portal().stop()
      context = await start()
      await context.addInitScript(pretendToShare)
      const offlinePage = await context.newPage()
      const offline = createApplicant(offlinePage, fixture.portal(), 'en')
      await offlinePage.goto('/procedure')
      await offlinePage.getByRole('link', { name: new RegExp(booked.number) }).click()
      await offline.heading('final.heading')
      await showReceipt(offline)
      expect((await offline.downloadReceipt()).suggestedFilename()).toBe(`${booked.number}.pdf`)
      await shareAndPrint(offline, booked)
      await offlinePage.goto('/procedure')
      await offlinePage.getByRole('button', { name: offline.t('button.logOut') }).click()
      await offline.heading('welcome.heading')
      await offlinePage.goto(addressOf(booked))
      await offline.heading('welcome.heading')
      expect(await offlinePage.locator('canvas').count()).toBe(0)
      await context.close()
      await fixture.portal().start()
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  )

  it('is not requested by a plain form while the page is offline, and a notice says why (S13, S20)', async () => {
    const { page, context, applicant } = await fixture.openSignedIn('en', '676100005')
    const booked = await createBooked('676100005', {
      form: bareForm,
      state: 'APPOINTMENT_SCHEDULED',
      startsAt,
    })
    await page.goto(addressOf(booked))
    await page.getByText('PAY-PP').waitFor()
    await context.setOffline(true)
    await applicant.button('button.downloadPdf').click()
    await page.getByText(applicant.t('notice.offline')).first().waitFor()
    expect(await page.locator('form[action*="get-pdf"]').count()).toBe(0)
    await context.setOffline(false)
    await page.route('**/get-pdf?*', route =>
      answerAsServer(route, { status: 404, json: { statusCode: 404 } }),
    )
    // Never presses the button of the form, which would send it. One call finds and presses, because the form may appear
    // between two calls.
    const firstButton = page
      .locator('button:not(form[action*="get-pdf"] button)')
      .filter({ hasText: applicant.t('button.downloadPdf') })
    await expect
      .poll(async () => {
        await firstButton.evaluateAll(buttons => {
          for (const button of buttons) if (button instanceof HTMLElement) button.click()
        })
        return page.locator('form[action*="get-pdf"]').count()
      })
      .toBe(1)
    await context.setOffline(true)
    await applicant.button('button.downloadPdf').click()
    await page.getByText(applicant.t('notice.offline')).first().waitFor()
    expect(context.pages()).toHaveLength(1)
    await context.close()
  })
})

describe('the page that checks receipts (F7)', () => {
  it.each(testedLanguages)(
    'accepts golden receipts and refuses altered ones offline, in %s',
    async language => {
      const { page, context, applicant } = await fixture.openWelcome(language)
      const { t } = applicant
      const requestedUrls: string[] = []
      page.on('request', request => requestedUrls.push(request.url()))
      await page.goto('/verify')
      await applicant.heading('verify.heading')
      await waitForWorker(page)
      await expect.poll(() => page.evaluate(() => localStorage.getItem('receipt-key'))).toHaveLength(43)
      // The service worker caches the files of this page once the page was opened.
      for (const name of ['verify', 'fr-verify', 'en-verify'])
        await expect.poll(() => cachedFiles(page)).toContainEqual(expect.stringContaining(`/${name}-`))
      await context.setOffline(true)
      const key = createPrivateKey(await receiptKey())
      const goldens = goldenReceipts.filter(golden => golden.language === language)
      const codes: string[] = []
      for (const golden of isFullRun ? goldens : goldens.slice(0, 3)) {
        let signed: ReceiptFields | undefined
        const { qr } = goldenContent(golden, fields => {
          signed = fields
          return signReceipt(fields, key)
        })
        codes.push(qr.text)
        await page.goto(`/verify#${qr.text}`)
        await page.getByRole('heading', { name: t('verify.genuine') }).waitFor()
        await page.getByText(signed?.name ?? '', { exact: true }).waitFor()
        await page
          .getByText(golden.startsAt === null ? t('appointment.generalQueue') : '01.12.2026', { exact: true })
          .waitFor()
        // The page moves the code, which names a person, from the URL into the history state of the tab.
        await expect.poll(() => new URL(page.url()).hash).toBe('')
      }
      const verdicts = await watchVerdicts(page)
      const check = async (text: string) => {
        const before = (await verdicts()).length
        await applicant.named('code').fill(text)
        await applicant.button('verify.check').click()
        return until('a verdict', async () => (await verdicts())[before])
      }
      const random = createRandom(44)
      // In the full run both languages together check 1,000 altered codes.
      for (let count = 0; count < (isFullRun ? 500 : 3); count += 1)
        expect([t('verify.forged'), t('verify.unreadable')]).toContain(
          await check(alter(random.pick(codes), random)),
        )
      for (const code of codes)
        expect(await check(`http://localhost/verify#${code}\n`)).toBe(t('verify.genuine'))
      expect(await findAxeFaults(page)).toEqual([])
      expect(requestedUrls.filter(url => url.includes('PP1'))).toEqual([])
      await context.close()
    },
    900_000,
  )

  it.runIf(isFullRun)('reads the code from a picture when the browser has a barcode detector', async () => {
    const { page, context, applicant } = await fixture.openWelcome('en')
    const fields = {
      applicationNumber: 'PP-2026-000008-4',
      name: 'Awa',
      yearOfBirth: 1990,
      office: 'Douala',
      date: null,
    }
    const code = signReceipt(fields, createPrivateKey(await receiptKey()))
    await page.addInitScript(pretendToRead, `http://localhost/verify#${code}`)
    await page.goto('/verify')
    const picture = { name: 'code.png', mimeType: 'image/png', buffer: onePixel }
    await applicant.named('picture').setInputFiles(picture)
    await page.getByRole('heading', { name: applicant.t('verify.genuine') }).waitFor()
    await page.getByText('Awa', { exact: true }).waitFor()
    expect(await findAxeFaults(page)).toEqual([])
    await context.close()
  })
})

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.'

/** Expects every part of the page for a booked and paid application. */
async function expectScheduled(applicant: Applicant, scheduled: Final, language: Language) {
  const { page, t } = applicant
  expect(scheduled.sections).toEqual(sectionsOf(applicant, allParts))
  expect(scheduled.open).toBe(0)
  expect(scheduled.appointment).toMatchObject({
    [t('schedule.year')]: startsAt.slice(0, 4),
    [t('schedule.month')]: t('month.6'),
    [t('schedule.date')]: '15',
    [t('schedule.time')]: '09:30',
  })
  expect(scheduled.payment).toEqual({
    [t('final.paymentStatus')]: t('status.SUCCESS'),
    [t('final.paymentNumber')]: `PAY-${scheduled.number}`,
    [t('final.paymentAmount')]: language === 'fr' ? '110 000 FCFA' : 'FCFA 110,000',
  })
  expect(scheduled.change).toBe(t('final.changeOnce'))
  expect(scheduled.text).toContain(t('final.print'))
  expect(scheduled.text).toContain(t('paper.parentalConsent'))
  expect(await findAxeFaults(page)).toEqual([])
  for (const summary of await page.locator('main summary').all()) await summary.click()
  await page.getByText('AA0123456').waitFor()
  expect(await findAxeFaults(page)).toEqual([])
}

/** Expects exactly the parts of a variant, without an axe issue before and after opening its sections. */
async function expectVariant(applicant: Applicant, shown: Final, each: (typeof variants)[number]) {
  const { page, t } = applicant
  expect(shown.sections).toEqual(sectionsOf(applicant, each.parts))
  expect(shown.open).toBe(0)
  expect(Object.keys(shown.appointment).includes(t('schedule.time'))).toBe(each.startsAt !== undefined)
  expect(shown.change).toBe(each.mayChange ? t('final.changeOnce') : '')
  expect(await findAxeFaults(page)).toEqual([])
  for (const summary of await page.locator('main summary').all()) await summary.click()
  expect(await findAxeFaults(page)).toEqual([])
}

/** Downloads the receipt and the calendar entry, and expects their content. */
async function downloadAll(online: Applicant, booked: Booked) {
  const { page } = online
  const file = await online.downloadReceipt()
  expect(await readPdfText(await file.path())).toContain(booked.number)
  // The phone has the receipt since the first download, so the server does not send it again.
  const answered = page.waitForResponse(response => response.url().includes('/get-pdf'))
  await online.downloadReceipt()
  expect((await answered).status()).toBe(304)
  await showReceipt(online)
  const calendar = page.waitForEvent('download')
  await online.button('button.addToCalendar').click()
  const entry = await calendar
  expect(entry.suggestedFilename()).toBe(`${booked.number}.ics`)
  const text = readFileSync(await entry.path(), 'utf8').replaceAll('\r\n ', '')
  expect(text).toContain(`DTSTART;TZID=Africa/Douala:${startsAt.replaceAll(/[-:]/g, '')}`)
  expect(text).toContain(`UID:${booked.id}@localhost`)
  expect(text).toContain('SEQUENCE:0')
}

/** Shares and prints the receipt, with the share sheet and the printer replaced. */
async function shareAndPrint(offline: Applicant, booked: Booked) {
  const { page: offlinePage } = offline
  await offline.button('button.share').click()
  await expect
    .poll(() => offlinePage.evaluate(() => document.title))
    .toBe(`shared ${booked.number}.pdf application/pdf`)
  await offlinePage.evaluate(() => {
    window.print = () => {
      document.title = `printed ${document.querySelectorAll('#print img').length}`
      window.dispatchEvent(new Event('afterprint'))
    }
  })
  await offline.button('button.print').click()
  await expect.poll(() => offlinePage.title()).toMatch(/^printed [12]$/)
}

/** Replaces or removes one character, or adds one after it. */
function alter(code: string, random: Random): string {
  const at = random.integerBelow(code.length)
  const other = alphabet.charAt(random.integerBelow(alphabet.length))
  const [here, rest] = [code.charAt(at), code.slice(at + 1)]
  const middle = random.pick([other === here ? '' : other, '', here + other])
  return code.slice(0, at) + middle + rest
}

/** Returns a function that reads the verdicts that the page has shown since this call, one per code, in order. */
async function watchVerdicts(page: Page): Promise<() => Promise<string[]>> {
  const verdicts = await page.evaluateHandle(() => {
    const headings: string[] = []
    new MutationObserver(records => {
      for (const { addedNodes } of records)
        for (const node of addedNodes)
          if (node instanceof Element && node.matches('[role="status"]'))
            headings.push(node.querySelector('h2')?.textContent ?? '')
    }).observe(document.body, { childList: true, subtree: true })
    return headings
  })
  return () => verdicts.jsonValue()
}

/** A page that opens while the new service worker claims the open pages is left out until its next load. */
async function whenWorkerControls(page: Page) {
  await page.evaluate(async () => void (await navigator.serviceWorker.ready))
  if (await page.evaluate(() => navigator.serviceWorker.controller === null)) await page.reload()
}

const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

async function receiptKey(): Promise<string> {
  const row = await database.db
    .selectFrom('secret')
    .select('value')
    .where('name', '=', 'receiptPrivateKey')
    .executeTakeFirstOrThrow()
  return row.value
}

type Final = Booked & {
  sections: string[]
  open: number
  appointment: Record<string, string>
  payment: Record<string, string>
  /** The text beside "Change appointment"; '' where there is none. */
  change: string
  text: string
}

async function openFinal(
  page: Page,
  { heading, t }: Applicant,
  create: () => Promise<Booked>,
): Promise<Final> {
  const booked = await create()
  await page.goto(addressOf(booked))
  await heading('final.heading')
  await page.getByText(booked.number).first().waitFor()
  await page.locator('#appointment-heading').waitFor()
  const main = page.getByRole('main')
  const text = (await main.textContent()) ?? ''
  const offered = await main.getByRole('button', { name: t('button.changeAppointment') }).count()
  const once = t('final.changeOnce')
  return {
    ...booked,
    text,
    sections: await main.locator('section h2, summary').allTextContents(),
    open: await main.locator('details[open]').count(),
    appointment: await rowsOf(page, 'appointment'),
    payment: await rowsOf(page, 'payment'),
    change: offered > 0 && text.includes(once) ? once : '',
  }
}

/** The parents section also contains the answer about the representative. */
function sectionsOf({ t }: Applicant, parts: readonly Part[]): string[] {
  const has = (part: Part) => parts.includes(part) || (part === 'parents' && parts.includes('representative'))
  const inOrder = [
    'biographic',
    'residence',
    ...(['nic', 'passport', 'parents', 'representative'] as const).filter(has),
    'appointment',
    ...(['payment'] as const).filter(has),
  ] as const
  return inOrder.map(name => t(`section.${name}`))
}

async function rowsOf(page: Page, section: string): Promise<Record<string, string>> {
  const rows = page.locator(`section[aria-labelledby="${section}-heading"] dl > div`)
  const pairs = await rows.evaluateAll(all =>
    all.map(row => [row.querySelector('dt')?.textContent ?? '', row.querySelector('dd')?.textContent ?? '']),
  )
  return Object.fromEntries(pairs.map(([term = '', value = '']) => [term, value.replaceAll(/\s/g, ' ')]))
}

/** Runs in the page: replaces the share sheet, which a test cannot see. */
function pretendToShare() {
  Object.assign(navigator, {
    canShare: () => true,
    share: async ({ files: [file] }: { files: File[] }) => {
      document.title = `shared ${file?.name} ${file?.type}`
    },
  })
}

/** Runs in the page: Chromium for Linux has no barcode detector. */
function pretendToRead(text: string) {
  Object.assign(window, {
    BarcodeDetector: class {
      detect = async () => [{ rawValue: text }]
    },
  })
}

/** The addresses of the cached files that the service worker does not precache. */
function cachedFiles(page: Page): Promise<string[]> {
  return page.evaluate(async () => (await (await caches.open('parts-1')).keys()).map(({ url }) => url))
}
