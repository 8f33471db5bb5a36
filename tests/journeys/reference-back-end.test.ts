import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Language } from '#contract/codes.ts'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { sharedChromium } from '#support/browsers/chromium.ts'
import { collectViolations } from '#support/browsers/csp-guard.ts'
import { openWatchedPage } from '#support/browsers/watched-page.ts'
import { readPdfText } from '#support/checks/pdf-text.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { freePort } from '#support/servers/free-port.ts'
import {
  type ReferenceBackEnd,
  startReferenceBackEnd,
} from '#support/servers/reference-back-end/reference-back-end.ts'
import { startStaticPortal } from '#support/servers/static-portal.ts'
import { isFullRun } from '#support/test-tier.ts'

type Service = { backEnd: ReferenceBackEnd; origin: string; close: () => Promise<void> }

const root = join(import.meta.dirname, '../..')

// The portal parses the HTML page of a bank without showing it. The Content-Security-Policy of the portal refuses the
// styles of that page. No other violation may occur.
afterEach(() => {
  expect(collectViolations().filter(each => !each.startsWith('style-src-elem inline'))).toEqual([])
})

describe('a back end that knows only the specification, on the origin of the portal (D5, D67)', () => {
  let service: Service
  beforeAll(async () => {
    service = await startOnOneOrigin()
  })
  afterAll(() => service?.close())

  it.runIf(isFullRun)(
    'accepts a mobile payment, a booking and a change of the office, in French',
    async () => {
      const { applicant, leave } = await openApplicant(service, 'fr')
      const number = await confirmForm(applicant, '671200001')
      await seeUnlistedGateway(applicant, service.backEnd.cardGateway.origin)
      await payByPhone(applicant, '671200001')
      await applicant.bookPlace()
      await finish(applicant, number)
      await changePlace(applicant)
      await finish(applicant, number)
      await leave()
    },
  )

  it.runIf(isFullRun)(
    'accepts a mobile payment with a code and an entry in the general queue, in English',
    async () => {
      const { applicant, leave } = await openApplicant(service, 'en')
      const number = await confirmForm(applicant, '671200002')
      await payByPhone(applicant, '671200077', service.backEnd)
      await joinGeneralQueue(applicant)
      await finish(applicant, number)
      await leave()
    },
  )
})

describe('a back end that knows only the specification, on another origin, with the gateways that the build names (D5, D67)', () => {
  let service: Service
  beforeAll(async () => {
    service = await startOnTwoOrigins()
  })
  afterAll(() => service?.close())

  it.runIf(isFullRun)(
    'accepts a card payment by the form of the specification and a booking, in French (PAY19–PAY21)',
    async () => {
      const { applicant, leave } = await openApplicant(service, 'fr')
      const number = await confirmForm(applicant, '671200003')
      expect(await payByCard(applicant, 'CARD', service)).toMatchObject({
        cpm_amount: '110000',
        cpm_currency: 'XAF',
        cpm_designation: 'Passeport',
      })
      await applicant.bookPlace()
      await finish(applicant, number)
      await leave()
    },
  )

  it.runIf(isFullRun)(
    'accepts a card payment by the form of another bank and an entry in the general queue, in English',
    async () => {
      const { applicant, leave } = await openApplicant(service, 'en')
      const number = await confirmForm(applicant, '671200004')
      expect(await payByCard(applicant, 'CARD_UBA', service)).toMatchObject({
        'merchant[id]': 'PASSPORT',
        'order.amount': '110000',
        submit: '1',
      })
      await joinGeneralQueue(applicant)
      await finish(applicant, number)
      await leave()
    },
  )
})

/** Serves the build of the run, which names no API and no gateway. */
async function startOnOneOrigin(): Promise<Service> {
  const backEnd = await startReferenceBackEnd()
  const portal = await startStaticPortal({ root: join(root, 'dist/client'), handleApi: backEnd.handle })
  return {
    backEnd,
    origin: portal.origin,
    async close() {
      await portal.close()
      backEnd.close()
    },
  }
}

/** Builds the portal for this back end and its gateway. */
async function startOnTwoOrigins(): Promise<Service> {
  const backEnd = await startReferenceBackEnd()
  const port = await freePort()
  const environment = {
    VITE_API_ORIGIN: `http://localhost:${port}`,
    VITE_CARD_ORIGINS: backEnd.cardGateway.origin,
  }
  // Inside the repository, because the build runs a part of its output to prerender the sign-in pages.
  const folder = mkdtempSync(join(root, 'dist/specification-only-'))
  const closers: (() => Promise<void> | void)[] = [
    () => rmSync(folder, { recursive: true }),
    () => backEnd.close(),
  ]
  const close = async () => {
    for (const end of closers.splice(0).toReversed()) await end()
  }
  try {
    await buildPortal(folder, environment)
    const portal = await startStaticPortal({ root: folder, environment })
    closers.push(() => portal.close())
    closers.push(await backEnd.listen(port, portal.origin))
    return { backEnd, origin: portal.origin, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function buildPortal(folder: string, environment: Record<string, string>): Promise<void> {
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const { VITEST: _, ...variables } = process.env
  await promisify(execFile)(process.execPath, [vite, 'build', '--outDir', folder, '--logLevel', 'error'], {
    cwd: root,
    env: { ...variables, NODE_ENV: 'production', ...environment },
  })
}

/**
 * Opens the welcome page. `leave` logs out, and checks that the back end has got no unknown call, and that the page has
 * had no failed request and no error but a refused inline style.
 */
async function openApplicant({ backEnd, origin }: Service, language: Language) {
  const { page, context, faults } = await openWatchedPage(await sharedChromium(), { origin })
  const applicant = createApplicant(page, backEnd, language)
  await applicant.chooseLanguage()

  async function leave() {
    const openBefore = backEnd.countOpenSessions()
    await applicant.button('button.close').click()
    await applicant.heading('procedure.heading')
    await page.getByRole('button', { name: applicant.t('button.logOut') }).click()
    await applicant.heading('welcome.heading')
    await expect.poll(backEnd.countOpenSessions).toBe(openBefore - 1)
    expect(backEnd.unknownCalls).toEqual([])
    const errors = faults.console.filter(each => !each.startsWith('Applying inline style violates'))
    expect({ requests: faults.requests, errors }).toEqual({ requests: [], errors: [] })
    await context.close()
  }

  return { page, applicant, leave }
}

/** Signs in by phone, fills the four tabs and confirms the data. Resolves to the application number. */
async function confirmForm(applicant: Applicant, phone: string): Promise<string> {
  await applicant.signInByPhone(phone)
  await applicant.startApplication()
  await applicant.fillForm({ ...firstPassport, phoneNumber: phone })
  await applicant.confirmData()
  return applicant.applicationNumber()
}

/** Pays from this number. Pass `codes` when the operator of the number asks for a code. */
async function payByPhone(
  { t, page, named, button, heading, goToAppointment }: Applicant,
  phone: string,
  codes?: ReferenceBackEnd,
) {
  await page.getByRole('radio', { name: t('method.MOBILE') }).check()
  await named('phone').fill(phone)
  await button('button.pay').click()
  if (codes) {
    await heading('payOtp.heading')
    await page.getByLabel(t('payOtp.code')).fill(codes.newestPaymentCode())
    await button('button.continue').click()
  }
  await heading('payResult.heading')
  await page.getByText(t('status.SUCCESS')).first().waitFor()
  await goToAppointment()
}

/** The default build lists no gateway, so the portal names the gateway and refuses it. */
async function seeUnlistedGateway({ page, t, button }: Applicant, origin: string) {
  await page.locator('main [name="type"][value="CARD"]').check()
  await button('button.pay').click()
  await page.getByText(t('notice.cardOrigin', { origin })).first().waitFor()
}

/**
 * Pays by card: the portal sends the form by itself, and the bank leads the payer back. Returns the fields that the
 * bank got.
 */
async function payByCard(
  { page, t, button, heading }: Applicant,
  method: 'CARD' | 'CARD_UBA',
  { backEnd, origin }: Service,
) {
  const { received } = backEnd.cardGateway
  const receivedBefore = received.length
  await page.locator(`main [name="type"][value="${method}"]`).check()
  await button('button.pay').click()
  await page.getByText(t('cardPayment.automatic')).waitFor()
  // The bank returns to the payment page, which finds the payment and leads on to the booking.
  await heading('appointment.heading')
  expect(received).toHaveLength(receivedBefore + 1)
  expect(new URL(page.url()).origin).toBe(origin)
  return received.at(-1)
}

/** In this back end the only office of the only city of France offers no dates. */
async function joinGeneralQueue({ page, t, named, button, heading }: Applicant) {
  await named('country').selectOption('11037')
  await page.getByRole('heading', { name: t('appointment.generalQueue') }).waitFor()
  await button('button.confirm').click()
  await heading('schedule.heading')
}

async function changePlace({ named, button, heading }: Applicant) {
  await button('button.changeAppointment').click()
  await heading('appointment.changeHeading')
  await named('country').selectOption('10998')
  await named('city').selectOption({ label: 'Douala' })
  await expect.poll(() => named('time').inputValue()).not.toBe('')
  await button('button.confirm').click()
  await heading('schedule.heading')
}

async function finish(applicant: Applicant, number: string) {
  const receipt = await applicant.finalize()
  expect(await readPdfText(await receipt.path())).toContain(`${number} Ngo Biyong`)
  const again = await applicant.downloadReceipt()
  expect(await readPdfText(await again.path())).toContain(number)
}
