import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import {
  type ConfirmedApplication,
  createConfirmedApplication,
  readAttempts,
  readSurname,
} from '#support/browsers/application-by-calls.ts'
import { changeSurname } from '#support/browsers/change-surname.ts'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'
import type { Key } from '#support/data/texts.ts'
import { backUp } from '#support/servers/back-up.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = startBrowserFixture(
  { CAPTCHA: 'off', PAYMENT_SIMULATORS: 'on' },
  { hasEmbeddedDatabase: true },
)

/** When the storage of the device begins to fail, in the order of a walk. The restore comes after the fifth moment. */
const moments = [
  'before Confirm',
  'after Confirm',
  'before Pay',
  'while the payment is open',
  'after the payment',
  'before the list is read again',
  'at the choice of the answers',
  'after the choice of the answers',
] as const
type Moment = (typeof moments)[number]
const isBeforeRestore = (moment: Moment) => moments.indexOf(moment) < 5

/**
 * How a walk continues after the restore: with a working storage, in a new document, or in the same document, which
 * still has in memory what the storage did not save. In the last two the storage fails: since before the restore, or
 * from a moment after it on.
 */
type Return = 'works again' | 'still fails' | 'still fails in the same page'

type Walk = { moment: Moment; comeBack: Return; contact: string }
type Phone = {
  applicant: Applicant
  page: Page
  context: BrowserContext
  app: ConfirmedApplication
  pageErrors: string[]
}

const walks: Walk[] = moments
  .flatMap(moment => returnsFrom(moment).map(comeBack => ({ moment, comeBack })))
  .map((walk, index) => ({ ...walk, contact: String(677_160_001 + index) }))

/**
 * A page that stays open differs from a new document only by what the storage has not saved: so it is tried only at the
 * first and the last moment before the restore.
 */
function returnsFrom(moment: Moment): Return[] {
  if (!isBeforeRestore(moment)) return ['still fails']
  if (moment === 'while the payment is open') return ['works again', 'still fails']
  return moment === 'before Confirm' || moment === 'after the payment'
    ? ['works again', 'still fails in the same page']
    : ['works again']
}

/** Each payer pays once: the server refuses a second order for the same number and amount within a minute. */
const payerOf = ({ contact }: Walk, order: 0 | 1) => `670 1${order}${contact.slice(-2)} 01`

const [older, newer] = ['Ancienne', 'Nouvelle']

describe.runIf(isFullRun)(
  'a storage that fails before or after a restored server has forgotten a payment',
  () => {
    const phones = new Map<Walk, Phone>()
    const failures = new Map<Walk, unknown>()

    /** A failure before the restore is reported by the test of its walk. */
    async function runAll(step: (walk: Walk) => Promise<void>) {
      for (const walk of walks.filter(each => !failures.has(each)))
        await step(walk).catch(error => failures.set(walk, error))
    }

    it('runs each walk until the restore; the test of a walk reports its failure', async () => {
      await runAll(async walk => void phones.set(walk, await openPhone(walk)))
      const backup = await backUp(fixture.portal())
      await runAll(walk => confirmAndPay(walk, phoneOf(walk)))
      await backup.restore()
    }, 1_800_000)

    function phoneOf(walk: Walk): Phone {
      const phone = phones.get(walk)
      if (!phone) throw new Error('This walk has not begun')
      return phone
    }

    it.each(walks.map(walk => [`${walk.moment}, ${walk.comeBack}`, walk] as const))(
      '%s: does not count the lost payment as paid, and leads to the appointment after another payment (D62, D74)',
      async (_, walk) => {
        if (failures.has(walk)) throw failures.get(walk)
        const phone = phoneOf(walk)
        await comeBackAndPay(walk, phone)
        expect(phone.pageErrors).toEqual([])
        await phone.context.close()
      },
      300_000,
    )
  },
)

describe.runIf(isFullRun)('a payment page whose application was paid in another tab', () => {
  it('creates no second order (D42, S40)', async () => {
    const { applicant, page, context } = await fixture.openSignedIn('fr', '677160051')
    const app = await createConfirmedApplication(page)
    const other = createApplicant(await context.newPage(), fixture.portal(), 'fr')
    for (const each of [applicant, other]) {
      await each.page.goto(addressOf('payment', app))
      await choosePayer(each, '670 199 001')
    }
    await other.button('button.pay').click()
    await waitForSuccess(other)

    await applicant.button('button.pay').click()
    // The response to the press leads to the appointment. If the page has read before the press that the application is
    // paid, the press leads to the result.
    const next = (['payResult.heading', 'appointment.heading'] as const).map(key =>
      page.getByRole('heading', { level: 1, name: applicant.t(key), exact: true }),
    )
    await expect.poll(async () => (await Promise.all(next.map(each => each.count()))).join()).toMatch('1')
    expect(await readAttempts(page, app)).toMatchObject([{ state: 'SUCCESS' }])
    await context.close()
  })

  it('opens the result when the applicant returns to its tab (S40)', async () => {
    const { applicant, page, context } = await fixture.openSignedIn('fr', '677160052')
    const app = await createConfirmedApplication(page)
    const other = createApplicant(await context.newPage(), fixture.portal(), 'fr')
    await page.goto(addressOf('payment', app))
    await choosePayer(applicant, '670 199 101')
    await other.page.goto(addressOf('payment', app))
    await choosePayer(other, '670 199 101')
    await other.button('button.pay').click()
    await waitForSuccess(other)

    // Playwright's pages are always visible: this is the event of a tab that the applicant has opened again.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await waitForSuccess(applicant)
    expect(await readAttempts(page, app)).toHaveLength(1)
    await context.close()
  })
})

const addressOf = (screen: string, { appId, appNumber }: ConfirmedApplication) =>
  `${fixture.portal().origin}/${screen}/${appId}/${appNumber}`

async function openPhone({ contact }: Walk): Promise<Phone> {
  const { page, context } = await fixture.open()
  await context.addInitScript(failTransactionsOnDemand)
  const pageErrors: string[] = []
  page.on('pageerror', ({ message, stack }) => pageErrors.push(stack ?? message))
  // The page asks before it closes while only it has answers.
  page.on('dialog', dialog => void dialog.accept())
  const applicant = createApplicant(page, fixture.portal(), 'fr')
  await applicant.signInByCalls(contact)
  const app = await createConfirmedApplication(page)
  const phone = { applicant, page, context, app, pageErrors }
  await changeSurname(applicant, addressOf('form', app), older)
  return phone
}

/** Runs a walk until the restore. */
async function confirmAndPay(walk: Walk, phone: Phone): Promise<void> {
  const { applicant, page, app, context } = phone
  const { heading, t } = applicant
  const reach = (moment: Moment) => (moment === walk.moment ? breakStorage(context) : undefined)
  const isSamePage = walk.comeBack === 'still fails in the same page'
  await changeSurname(applicant, addressOf('form', app), newer)
  await page.goto(addressOf('confirm', app))
  await heading('confirm.heading')
  await reach('before Confirm')
  await press(applicant, 'button.confirm', 'payment.heading')
  expect(await readSurname(page, app)).toBe(newer)
  await reach('after Confirm')
  if (!isSamePage) await page.goto(addressOf('payment', app))
  await heading('payment.heading')
  await choosePayer(applicant, payerOf(walk, 0))
  await reach('before Pay')
  const isBreakingNext = walk.moment === 'while the payment is open'
  const savedBefore = isBreakingNext ? await sizeOfSavedAttempts(page) : 0
  await press(applicant, 'button.pay', 'approval.heading')
  await page.getByRole('heading', { name: t('case.heading') }).waitFor()
  // The storage has the open payment.
  if (isBreakingNext) await expect.poll(() => sizeOfSavedAttempts(page)).toBeGreaterThan(savedBefore)
  await reach('while the payment is open')
  await waitForSuccess(applicant)
  expect(await readAttempts(page, app)).toMatchObject([{ state: 'SUCCESS' }])
  await reach('after the payment')
  if (isSamePage) return
  await page.goto('/procedure')
  await page.getByRole('link', { name: t('procedure.open.appointment') }).waitFor()
}

/** Runs a walk after the restore: the server has older answers and no payment. Near the end the storage works again. */
async function comeBackAndPay(walk: Walk, phone: Phone): Promise<void> {
  const { applicant, page, app, context } = phone
  const { heading, t, button } = applicant
  const reach = (moment: Moment) => (moment === walk.moment ? breakStorage(context) : undefined)
  const isSamePage = walk.comeBack === 'still fails in the same page'
  if (walk.comeBack === 'works again') await mendStorage(context)
  await reach('before the list is read again')
  await signInAgain(walk, phone)
  await page.getByText(t('procedure.lead')).waitFor()
  // The service knows of no payment now.
  expect(await page.getByRole('link', { name: t('procedure.open.appointment') }).count()).toBe(0)

  if (namesPaymentOnList(walk)) await page.getByText(t('lost.payment')).waitFor()
  if (canReadDraft(walk)) {
    // The storage of the same page still fails, so only this page has the newer answers.
    await page.getByText(t(isSamePage ? 'procedure.onlyInPage' : 'form.choiceOpen')).waitFor()
    await page.getByRole('link', { name: t('procedure.open.form') }).click()
  } else await page.getByText(t('procedure.unreadableList')).waitFor()
  if (remembersDraft(walk)) {
    // The list cannot read the draft, so it offers no choice. The page still knows what it has sent, so it confirms no older
    // answers.
    await openInSameDocument(page, addressOf('confirm', app))
    await heading('confirm.heading')
    await button('button.confirm').click()
    await page.getByText(t('notice.unsent')).first().waitFor()
    await openInSameDocument(page, `${addressOf('form', app)}/PersonData`)
  }
  if (hasNewerAnswers(walk)) {
    await button('choice.keepMine').waitFor()
    await reach('at the choice of the answers')
    await button('choice.keepMine').click()
    await button('choice.keepMine').waitFor({ state: 'detached' })
    await expect.poll(() => readSurname(page, app), { timeout: 30_000 }).toBe(newer)
    await reach('after the choice of the answers')
  }

  if (isSamePage || !isBeforeRestore(walk.moment)) await openInSameDocument(page, addressOf('confirm', app))
  else await page.goto(addressOf('confirm', app))
  await heading('confirm.heading')
  await press(applicant, 'button.confirm', 'payment.heading')
  if (namesPayment(walk)) await page.getByText(t('lost.payment')).waitFor()
  await choosePayer(applicant, payerOf(walk, 1))
  expect(await page.getByText(t('status.SUCCESS')).count()).toBe(0)
  expect(await readAttempts(page, app)).toEqual([])
  await press(applicant, 'button.pay', 'approval.heading')
  await waitForSuccess(applicant)
  expect(await readAttempts(page, app)).toMatchObject([{ state: 'SUCCESS' }])
  await mendStorage(context)
  await applicant.goToAppointment()
  expect(await readSurname(page, app)).toBe(hasNewerAnswers(walk) ? newer : older)
}

/** As a link does: a new document would lose what only the page has. */
async function openInSameDocument(page: Page, address: string) {
  await page.evaluate(path => history.pushState({}, '', path), new URL(address).pathname)
}

async function signInAgain({ contact, comeBack }: Walk, { applicant, page }: Phone) {
  if (comeBack !== 'still fails in the same page')
    return applicant.signInByCalls(contact).then(() => undefined)
  // The restore has ended the session: the next call says so.
  await applicant
    .button('button.continueToAppointment')
    .or(page.getByRole('link', { name: applicant.t('button.continueToAppointment') }))
    .click()
  await applicant.heading('welcome.heading')
  await applicant.signInByPhone(contact)
}

/** Whether the device can read the answers that the server has lost, or the page has them because the storage failed. */
const canReadDraft = ({ moment, comeBack }: Walk) =>
  comeBack === 'works again' ||
  (comeBack === 'still fails in the same page' && moment === 'before Confirm') ||
  moments.indexOf(moment) > moments.indexOf('before the list is read again')

/** Whether the storage saved the answers before it failed, and the page still knows them. */
const remembersDraft = (walk: Walk) => walk.comeBack === 'still fails in the same page' && !canReadDraft(walk)

const hasNewerAnswers = (walk: Walk) => canReadDraft(walk) || remembersDraft(walk)

/** Whether the device has saved that the application was paid, and has read it since the restore. */
const namesPaymentOnList = ({ moment }: Walk) =>
  moments.indexOf(moment) > moments.indexOf('before the list is read again')

/** Whether the device has saved that there was a payment, and can read it before the second payment. */
const namesPayment = (walk: Walk) =>
  namesPaymentOnList(walk) ||
  (walk.comeBack === 'works again' &&
    moments.indexOf(walk.moment) >= moments.indexOf('while the payment is open'))

/** Presses the button, and once more after the warning that this device cannot read its answers (D74). */
async function press({ page, t, button }: Applicant, label: Key, next: Key): Promise<void> {
  const reached = page.getByRole('heading', { level: 1, name: t(next), exact: true })
  await button(label).click()
  await reached
    .or(page.getByText(t('notice.unreadable')))
    .first()
    .waitFor()
  if (await reached.isVisible()) return
  // A press less than a second after the warning counts as part of a double press.
  await page.waitForTimeout(1_200)
  await button(label).click()
  await reached.waitFor()
}

async function choosePayer({ page, t, named }: Applicant, payer: string) {
  await page.getByRole('radio', { name: t('method.MOBILE') }).check()
  await named('phone').fill(payer)
}

async function waitForSuccess({ page, t, heading }: Applicant) {
  await heading('payResult.heading')
  await page.getByText(t('status.SUCCESS')).first().waitFor()
}

/** Bytes of the encrypted attempts to pay that the device has saved. */
async function sizeOfSavedAttempts(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const opening = indexedDB.open('portal')
    await new Promise(resolve => opening.addEventListener('success', resolve))
    const reading = opening.result.transaction('seen').objectStore('seen').getAll()
    await new Promise(resolve => reading.addEventListener('success', resolve))
    opening.result.close()
    const rows = reading.result as { name: string; sealed: { text: ArrayBuffer } }[] // as src/store/database.ts
    return rows
      .filter(({ name }) => name.startsWith('listPaymentAttempts'))
      .reduce((sum, { sealed }) => sum + sealed.text.byteLength, 0)
  })
}

const flag = 'storageFails'

async function breakStorage(context: BrowserContext) {
  await context.addCookies([{ name: flag, value: '1', url: fixture.portal().origin }])
}

async function mendStorage(context: BrowserContext) {
  await context.clearCookies({ name: flag })
}

/** Runs in the page. A cookie says whether the storage fails: it is there from the first script of each document on. */
function failTransactionsOnDemand() {
  const begin = Object.getOwnPropertyDescriptor(IDBDatabase.prototype, 'transaction')?.value
  IDBDatabase.prototype.transaction = function transaction(...args) {
    if (document.cookie.includes('storageFails=1'))
      throw new DOMException('Connection to Indexed Database server lost.', 'UnknownError')
    return Reflect.apply(begin, this, args)
  }
}
