import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type FormValues, type Tab, tabs } from '#contract/application.ts'
import { inactivityWarningSeconds, kioskInactivitySeconds, languages } from '#contract/codes.ts'
import type { MethodType } from '#contract/payment.ts'
import type { PortalRouter } from '#app/routes.tsx'
import { signReceipt } from '#server/features/receipt/qr-signature.ts'
import { answerAsServer } from '#support/browsers/answer-as-server.ts'
import { almostEveryQuestion } from '#support/data/almost-every-question.ts'
import { createFormPage } from '#support/browsers/form-page.ts'
import { isFullRun } from '#support/test-tier.ts'
import { cardPage, gateway } from '#support/data/hostile-card-pages.ts'
import { attempt, createPaymentFixture, payment } from '#support/fixtures/payment-fixture.ts'
import { createViewAudit, type AuditSettings } from '#support/checks/view-audit.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'

const fixture = joinBrowserFixture()

type Address = Exclude<keyof PortalRouter['routesByPath'], FormWithoutTab>
/** The address of the form without a tab redirects to a tab, so it has no view of its own. */
type FormWithoutTab = '/form/$appId/$appNumber' | '/form/$appId/$appNumber/'
type State = 'empty' | 'filled' | 'faults' | 'offline'

/** Every view and its states. A route without a view does not compile; a view that the test does not see fails. */
const views = {
  '/': { welcome: ['empty', 'offline'] },
  '/mobile': { mobile: ['empty', 'faults', 'filled', 'offline'] },
  '/mail': { mail: ['empty', 'faults', 'filled', 'offline'], captcha: ['empty', 'faults', 'filled'] },
  '/password': { password: ['empty', 'faults', 'filled', 'offline'] },
  '/verify': { verify: ['empty', 'faults', 'filled', 'offline'] },
  '/undo': { undo: ['empty', 'faults', 'filled'] },
  '/help': { help: ['empty', 'filled'] },
  '/legal': { legal: ['empty'] },
  '/accessibility': { accessibility: ['empty'] },
  '/privacy': { privacy: ['empty'] },
  '/procedure': {
    list: ['empty', 'filled', 'offline'],
    proof: ['empty', 'faults'],
    secondContact: ['empty', 'faults', 'filled', 'offline'],
    secondCode: ['empty', 'faults'],
    unknownDrafts: ['filled'],
    leaving: ['offline'],
  },
  '/account': { account: ['filled', 'offline'], removal: ['empty'], deletion: ['empty'] },
  '/form/$appId/$appNumber/GeneralData': {
    GeneralData: ['empty', 'faults', 'filled', 'offline'],
    handOver: ['filled'],
    idle: ['filled'],
  },
  '/form/$appId/$appNumber/PersonData': { PersonData: ['empty', 'faults', 'filled', 'offline'] },
  '/form/$appId/$appNumber/ParentData': { ParentData: ['empty', 'faults', 'filled', 'offline'] },
  '/form/$appId/$appNumber/NicData': {
    NicData: ['empty', 'faults', 'filled', 'offline'],
    earlierAnswers: ['empty', 'filled'],
  },
  '/confirm/$appId/$appNumber': { confirm: ['filled', 'offline'] },
  '/payment/$appId/$appNumber': {
    payment: ['empty', 'faults', 'offline'],
    mobileMoney: ['empty', 'faults', 'filled'],
    aggregator: ['empty', 'faults', 'filled'],
  },
  '/cardPayment': { cardPayment: ['filled'] },
  '/payOtp/$appId/$appNumber/$paymentId': { payOtp: ['empty', 'faults', 'filled', 'offline'] },
  '/payResult/$appId/$appNumber/$paymentId': { payResult: ['empty', 'faults', 'filled', 'offline'] },
  '/appointment/$appId/$appNumber': { appointment: ['empty', 'faults', 'filled', 'offline'] },
  '/appointment/$appId/$appNumber/$appointmentId': { changeAppointment: ['empty', 'filled'] },
  '/schedule/$appId/$appNumber/$appointmentId': { schedule: ['filled', 'offline'] },
  '/final/$appId/$appNumber/$appointmentId': { final: ['filled', 'offline'] },
  elsewhere: { notFound: ['empty', 'offline'] },
} as const satisfies Record<Address | 'elsewhere', Record<string, readonly State[]>>

type Views = { [Path in keyof typeof views]: (typeof views)[Path] }[keyof typeof views]
type StatesOf<Each> =
  Each extends Record<string, readonly State[]>
    ? {
        [
          Name in keyof Each
        ]: `${Name & string}, ${Each[Name] extends readonly (infer One extends string)[] ? One : never}`
      }[keyof Each]
    : never
type View = StatesOf<Views>
type ViewAudit = ReturnType<typeof createViewAudit<View>>

const everyView = Object.values<Record<string, readonly State[]>>(views).flatMap(view =>
  Object.entries(view).flatMap(([name, states]) => states.map(state => `${name}, ${state}`)),
)

const widths = process.env['PICTURES'] ? [360, 820, 1280] : [320, 1280]
const auditSettings: AuditSettings[] = languages.flatMap(language =>
  widths.map(width => ({ language, width, inDark: true })),
)

/** Each attempt of a test uses another applicant. */
let applicantCount = 0
const nextPhone = () => `6712${10_000 + (applicantCount += 1)}`

const receiptKeys = generateKeyPairSync('ed25519')

describe.each(auditSettings)('every view in $language, $width px wide', settings => {
  it.runIf(isFullRun)(
    'has no axe issue, no horizontal scrolling, and no cut text at 200 % or with wide spacing (WCAG 2.2 AA, NAV25)',
    async () => {
      const phone = nextPhone()
      const size = { width: settings.width, height: settings.width < 400 ? 640 : 800 }
      const openAudit = async () => {
        const opened = await fixture.openWelcome(settings.language, { ...size, serviceWorkers: 'block' })
        const audit = createViewAudit<View>({ ...opened, settings })
        await mockVersionCall(audit)
        return audit
      }
      const audit = await openAudit()
      await signIn(audit, phone)
      await addContact(audit, phone)
      await fillForm(audit)
      await pay(audit)
      await bookSlot(audit)
      await openRemainingPages(audit)
      await audit.context.close()
      const atKiosk = await openAudit()
      await openKiosk(atKiosk, nextPhone())
      await atKiosk.context.close()

      expect([...audit.found, ...atKiosk.found]).toEqual([])
      expect([...audit.auditedViews, ...atKiosk.auditedViews].toSorted()).toEqual(everyView.toSorted())
    },
    900_000,
  )
})

/** Sets the card gateway and the key of this test's receipts in the answer of `version`. Offline the call fails. */
async function mockVersionCall({ context, connection }: ViewAudit) {
  const { x: receiptKey } = receiptKeys.publicKey.export({ format: 'jwk' })
  await context.route('**/api/v1/version', async route => {
    if (connection.isDown) return route.abort('internetdisconnected')
    const { data } = await (await route.fetch()).json()
    await answerAsServer(route, {
      json: { data: { ...data, cardGateways: [gateway], receiptKeys: [receiptKey] } },
    })
  })
}

async function signIn(audit: ViewAudit, phone: string) {
  const { page, t, heading, button, named, field, auditView, auditOffline } = audit
  const pressContinue = () => button('button.continue').click()
  await auditView('welcome, empty')
  await auditOffline('welcome, offline')

  await page.getByRole('link', { name: t('welcome.email') }).click()
  await heading('mail.heading')
  await auditView('mail, empty')
  await pressContinue()
  await page.getByText(t('issue.not-valid')).first().waitFor()
  await auditView('mail, faults')
  await field('mail.address').fill(`jean-baptiste.ngo-biyong${phone}@example.cm`)
  await auditView('mail, filled')
  await auditOffline('mail, offline', pressContinue)
  await solveCaptcha(audit)

  await page.goto('/mobile')
  // Before hydration the prerendered page is shown, which is not the view to audit.
  await page.waitForFunction(() => performance.getEntriesByName('portal-alive').length > 0)
  await heading('mobile.heading')
  await auditView('mobile, empty')
  await pressContinue()
  await page.getByText(t('issue.not-valid')).first().waitFor()
  await auditView('mobile, faults')
  await named('phoneNumber').fill(phone)
  await auditView('mobile, filled')
  await auditOffline('mobile, offline', pressContinue)
  await pressContinue()
  await heading('password.heading')
  await auditView('password, empty')
  await pressContinue()
  await page.getByText(t('issue.code-empty')).first().waitFor()
  await auditView('password, faults')
  await named('otp').fill(await fixture.portal().codeFor(`237${phone}`))
  await auditView('password, filled')
  await auditOffline('password, offline', pressContinue)
  await pressContinue()
  await heading('procedure.heading')
}

async function solveCaptcha({ page, t, button, auditView }: ViewAudit) {
  const auth = '**/api/v1/auth*'
  await page.route(auth, route => answerAsServer(route, { json: { data: { statusCode: 3 } } }))
  await button('button.continue').click()
  await button('captcha.start').waitFor()
  await auditView('captcha, empty')
  const puzzle = '**/api/v1/captcha/challenge*'
  await page.route(puzzle, route => answerAsServer(route, { status: 503, json: { statusCode: 503 } }))
  await button('captcha.start').click()
  await page.getByText(t('captcha.loadFailed')).waitFor()
  await auditView('captcha, faults')
  await page.unroute(puzzle)
  await button('captcha.start').click()
  await page.getByText(t('captcha.done')).waitFor()
  await auditView('captcha, filled')
  await page.unroute(auth)
}

async function addContact(audit: ViewAudit, phone: string) {
  const { page, t, button, field, auditView, auditOffline } = audit
  const pressContinue = () => button('button.continue').click()
  await button('procedure.addEmail').waitFor()
  await auditView('list, empty')
  await button('procedure.addEmail').click()
  await button('button.continue').waitFor()
  await auditView('proof, empty')
  await pressContinue()
  await field('password.code').waitFor()
  await pressContinue()
  await page.getByText(t('issue.code-empty')).first().waitFor()
  await auditView('proof, faults')
  await field('password.code').fill(await fixture.portal().codeFor(`237${phone}`))
  await pressContinue()
  await field('mail.address').waitFor()
  await auditView('secondContact, empty')
  await pressContinue()
  await page.getByText(t('issue.not-valid')).waitFor()
  await auditView('secondContact, faults')
  await field('mail.address').fill(`second.${phone}@example.cm`)
  await auditView('secondContact, filled')
  await auditOffline('secondContact, offline', pressContinue)
  await pressContinue()
  await field('password.code').waitFor()
  await auditView('secondCode, empty')
  await pressContinue()
  await page.getByText(t('issue.code-empty')).first().waitFor()
  await auditView('secondCode, faults')
  await field('password.code').fill(await fixture.portal().codeFor(`second.${phone}@example.cm`))
  await pressContinue()
  await page.getByText(t('notice.contactAdded')).first().waitFor()
  await openAccount(audit)
}

async function openAccount({ page, t, heading, button, auditView, auditOffline }: ViewAudit) {
  await page.getByRole('link', { name: t('account.link') }).click()
  await heading('account.heading')
  await button('account.remove.phone').waitFor()
  await auditView('account, filled')
  await auditOffline('account, offline')
  await button('account.remove.phone').click()
  await auditView('removal, empty')
  await button('button.cancel').click()
  await button('account.deleteButton').click()
  await auditView('deletion, empty')
  await button('button.cancel').click()
  await page.getByRole('link', { name: t('account.back') }).click()
  await heading('procedure.heading')
}

async function fillForm(audit: ViewAudit) {
  const { page, button, heading, startApplication, continueTo, auditView, auditOffline } = audit
  const steps = createFormPage(page)
  await startApplication()
  for (const tab of tabs) {
    await steps.open(tab)
    await heading(`tab.${tab}`)
    await auditView(`${tab}, empty`)
  }
  await steps.open('GeneralData')
  await heading('tab.GeneralData')
  const fill = {
    GeneralData: audit.fillGeneral,
    PersonData: audit.fillPerson,
    ParentData: audit.fillParents,
    NicData: audit.fillDocuments,
  } satisfies Record<Tab, (values: FormValues) => Promise<void>>
  for (const [at, tab] of tabs.entries()) {
    if (tab === 'ParentData') await steps.answer({ addReprData: 'YES', reprNicNumber: '1' })
    if (tab === 'NicData') await steps.answer({ selectNic: '2' })
    await button(tab === 'NicData' ? 'button.submit' : 'button.continue').click()
    await steps.summary.waitFor()
    await auditView(`${tab}, faults`)
    await fill[tab](almostEveryQuestion)
    await auditView(`${tab}, filled`)
    await auditOffline(`${tab}, offline`)
    const next = tabs[at + 1]
    if (next) await continueTo(`tab.${next}`)
  }
  await showEarlierAnswers(audit)
  await button('button.submit').click()
  await heading('confirm.heading')
  await auditView('confirm, filled')
  await auditOffline('confirm, offline', () => button('button.confirm').click())
  await page.goto('/procedure')
  await page.getByRole('link', { name: audit.t('procedure.open.form') }).waitFor()
  await auditView('list, filled')
  await auditOffline('list, offline')
  await showUnknownDraft(audit)
  await page.goBack()
  await audit.confirmData()
}

async function showEarlierAnswers({ page, t, button, auditView }: ViewAudit) {
  await button('earlier.button').click()
  await page.getByText(t('earlier.lead')).waitFor()
  await auditView('earlierAnswers, empty')
  await page.locator('dialog li button').last().click()
  await button('earlier.restore').waitFor()
  await auditView('earlierAnswers, filled')
  await button('button.close').click()
}

/** The server answers that it has no application, as after a restore from a backup. */
async function showUnknownDraft({ page, t, auditView }: ViewAudit) {
  const list = '**/api/v1/applications?*'
  await page.route(list, route => answerAsServer(route, { json: { data: [] } }))
  await page.reload()
  await page.getByRole('heading', { name: t('unknown.heading') }).waitFor()
  await auditView('unknownDrafts, filled')
  await page.unroute(list)
}

async function pay(audit: ViewAudit) {
  const parts = await openPayment(audit)
  await payByMobileMoney(audit, parts)
  await payByAggregator(audit, parts)
  await enterPaymentCode(audit, parts)
  await openCardPage(audit, parts)
  await showPaymentResult(audit, parts)
}

type PaymentParts = Awaited<ReturnType<typeof openPayment>>

async function openPayment({ page, t, button, auditView }: ViewAudit) {
  const path = new URL(page.url()).pathname
  const tile = (type: MethodType) => page.locator(`main [name="type"][value="${type}"]`)
  const pressPay = () => button('button.pay').click()
  const waitForText = (words: string) => page.getByRole('main').getByText(words).first().waitFor()
  const paymentFixture = createPaymentFixture(page)
  await paymentFixture.open()
  await page.reload()
  await tile('MOBILE').waitFor()
  await auditView('payment, empty')
  await pressPay()
  await waitForText(t('issue.method-needed'))
  await auditView('payment, faults')
  return { path, tile, pressPay, waitForText, paymentFixture }
}

async function payByMobileMoney(
  { t, named, auditView, auditOffline }: ViewAudit,
  { tile, pressPay, waitForText }: PaymentParts,
) {
  await tile('MOBILE').check()
  await named('phone').waitFor()
  await auditView('mobileMoney, empty')
  await named('phone').fill('6712345')
  await pressPay()
  await waitForText(t('issue.not-valid'))
  await auditView('mobileMoney, faults')
  await named('phone').fill('671234567')
  await auditView('mobileMoney, filled')
  await auditOffline('payment, offline', pressPay)
}

async function payByAggregator(
  { t, named, auditView }: ViewAudit,
  { tile, pressPay, waitForText }: PaymentParts,
) {
  await tile('AGGREGATOR').check()
  await named('paymentMethod').waitFor()
  await auditView('aggregator, empty')
  await named('paymentMethod').selectOption('Orange-Money')
  await named('phone').fill('12345')
  await named('otp').fill('123456789')
  await pressPay()
  await waitForText(t('issue.too-long-8'))
  await auditView('aggregator, faults')
  await named('name').fill('Ngo Biyong Jean-Baptiste')
  await named('phone').fill('699123456')
  await named('otp').fill('1234')
  await auditView('aggregator, filled')
}

async function enterPaymentCode(
  { t, heading, button, named, auditView, auditOffline }: ViewAudit,
  { path, pressPay, waitForText, paymentFixture }: PaymentParts,
) {
  paymentFixture.setResponse('/aggregator-payment-init', { data: { ...payment, needOtp: true } })
  const attempts = `/applications/${path.split('/')[2]}/attempts`
  paymentFixture.setResponse(attempts, { data: [attempt({ next: 'waiting-for-code' })] })
  await pressPay()
  await heading('payOtp.heading')
  await waitForText(t('payResult.sum'))
  await auditView('payOtp, empty')
  await button('button.continue').click()
  await waitForText(t('issue.code-empty'))
  await auditView('payOtp, faults')
  await named('otp').fill('1111')
  await auditView('payOtp, filled')
  await auditOffline('payOtp, offline', () => button('button.continue').click())
  paymentFixture.setResponse(attempts, { data: [] })
  await button('button.back').click()
  await heading('payment.heading')
}

async function openCardPage(
  { context, heading, button, auditView }: ViewAudit,
  { tile, pressPay, paymentFixture }: PaymentParts,
) {
  // The card page answers 204, so the browser stays on the current page.
  await context.route(`${gateway}/**`, route => route.fulfill({ status: 204 }))
  paymentFixture.setResponse('/card-payment-init', {
    status: 'Success',
    data: cardPage(),
    paymentId: 'pay-1',
  })
  await tile('CARD').check()
  await pressPay()
  await heading('cardPayment.heading')
  await auditView('cardPayment, filled')
  await button('button.cancel').click()
  await heading('payment.heading')
}

async function showPaymentResult(audit: ViewAudit, { path, waitForText, paymentFixture }: PaymentParts) {
  const { page, t, heading, auditView, auditOffline } = audit
  const [, , appId] = path.split('/')
  paymentFixture.setResponse('/pay-1', { data: payment })
  paymentFixture.setResponse(`/applications/${appId}/attempts`, { data: [attempt({})] })
  await page.goto(`${path.replace('payment', 'payResult')}/pay-1`)
  await waitForText(t('attemptNext.waiting-for-approval'))
  await auditView('payResult, empty')
  paymentFixture.setResponse('/pay-1', { data: { ...payment, paymentStatus: 'ERROR' } })
  paymentFixture.setResponse(`/applications/${appId}/attempts`, {
    data: [attempt({ state: 'ERROR', next: 'nothing-taken' })],
  })
  await page.reload()
  await waitForText(t('status.ERROR'))
  await auditView('payResult, faults')
  paymentFixture.clearResponses()
  await page.goto(path)
  await heading('payment.heading')
  await audit.payByDemonstration({
    before: async () => {
      await auditView('payResult, filled')
      await auditOffline('payResult, offline')
    },
  })
}

async function bookSlot(audit: ViewAudit) {
  const { page, t, heading, button, named, auditView, auditOffline } = audit
  await named('country').waitFor()
  await auditView('appointment, empty')
  await button('button.confirm').click()
  await page.getByText(t('issue.required')).first().waitFor()
  await auditView('appointment, faults')
  await audit.bookPlace({
    before: async () => {
      await auditView('appointment, filled')
      await auditOffline('appointment, offline', () => button('button.confirm').click())
    },
  })
  await auditView('schedule, filled')
  await auditOffline('schedule, offline', () => button('button.finalize').click())
  await audit.finalize()
  await button('button.changeAppointment').waitFor()
  for (const summary of await page.locator('main summary').all()) await summary.click()
  await auditView('final, filled')
  await auditOffline('final, offline', () => button('button.downloadPdf').click())
  await button('button.changeAppointment').click()
  await heading('appointment.changeHeading')
  await page.getByText(t('appointment.current')).waitFor()
  await auditView('changeAppointment, empty')
  // An office without free dates.
  await named('country').selectOption('11202')
  await page.getByText(t('appointment.noDates')).waitFor()
  await auditView('changeAppointment, filled')
}

/** Opens the pages outside the journey: an unknown URL, help, the legal pages, `/undo` and `/verify`. */
async function openRemainingPages({ page, t, heading, button, named, auditView, auditOffline }: ViewAudit) {
  await page.goto('/nulle/part')
  await heading('notFound.heading')
  await page.getByRole('link', { name: t('notFound.procedure') }).waitFor()
  await auditView('notFound, empty')
  await auditOffline('notFound, offline')

  await page.goto('/help')
  await heading('help.heading')
  await auditView('help, empty')
  await page.getByText(t('help.code.question')).click()
  await auditView('help, filled')
  for (const name of ['legal', 'accessibility', 'privacy'] as const) {
    await page.goto(`/${name}`)
    await heading(`${name}.heading`)
    await auditView(`${name}, empty`)
  }
  await page.goto('/undo')
  await heading('undo.heading')
  await auditView('undo, empty')
  await button('undo.button').click()
  await page.getByText(t('issue.code-empty')).first().waitFor()
  await auditView('undo, faults')
  await named('undoCode').fill('ABCD-EFGH-JKMN')
  await auditView('undo, filled')
  await page.goto('/verify')
  await heading('verify.heading')
  await auditView('verify, empty')
  await named('code').fill('PP1.forged')
  await button('verify.check').click()
  await page.getByRole('heading', { name: t('verify.unreadable') }).waitFor()
  await auditView('verify, faults')
  const receipt = {
    applicationNumber: 'PP-2026-000008-4',
    name: 'Ngo Biyong Jean-Baptiste',
    yearOfBirth: 1990,
    office: 'Direction générale à la sûreté nationale, Yaoundé',
    date: '2026-12-01',
  }
  await named('code').fill(signReceipt(receipt, receiptKeys.privateKey))
  await button('verify.check').click()
  await page.getByRole('heading', { name: t('verify.genuine') }).waitFor()
  await auditView('verify, filled')
  await auditOffline('verify, offline')
}

/** Opens the portal as the kiosk of office 3, and shows the dialogs of a kiosk. */
async function openKiosk(audit: ViewAudit, phone: string) {
  const { page, t, heading, button, named, auditView } = audit
  await page.clock.install()
  await page.goto('/?kiosk=3')
  await heading('welcome.heading')
  await audit.signInByPhone(phone)
  await audit.startApplication()
  await button('handOver.own').click()
  await page.getByRole('img', { name: t('handOver.code') }).waitFor()
  await auditView('handOver, filled')
  await page.getByRole('button', { name: t('handOver.stay') }).click()
  await page.clock.fastForward((kioskInactivitySeconds - inactivityWarningSeconds / 2) * 1_000)
  await page.getByRole('alertdialog', { name: t('idle.heading') }).waitFor()
  await auditView('idle, filled')
  await page.getByRole('button', { name: t('idle.stay') }).click()

  audit.connection.isDown = true
  await audit.context.setOffline(true)
  await named('travelDestination').fill('Libreville')
  await page.getByText(t('form.kept')).first().waitFor()
  await button('button.cancel').click()
  await heading('procedure.heading')
  await page.getByRole('button', { name: t('kiosk.finish') }).click()
  await page.getByRole('alertdialog', { name: t('leaving.loseHeading') }).waitFor()
  await auditView('leaving, offline')
}
