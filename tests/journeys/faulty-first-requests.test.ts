import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Applicant } from '#support/browsers/applicant.ts'
import { startFaultyBrowserFixture } from '#support/browsers/faulty-browser-fixture.ts'
import { type FaultKind, foreignAnswers } from '#support/browsers/network-proxy.ts'
import { firstPassport } from '#support/data/applicants.ts'
import type { Key } from '#support/data/texts.ts'
import { until } from '#support/servers/portal.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = startFaultyBrowserFixture({ environment: { CAPTCHA: 'off' } })

const kinds: FaultKind[] = [...foreignAnswers, 'truncate', 'wrong-mark', 'duplicate']

it.runIf(isFullRun).each(kinds)(
  'a journey ends with one booked application and one payment when the first POST of every step after the sign-in meets the fault %s (D13, D60)',
  async kind => {
    const { page, context, applicant } = await fixture.openApplicant('fr')
    await applicant.signInByPhone(String(671_330_000 + kinds.indexOf(kind)))
    const press = createPress(applicant, kind)
    await press('procedure.new', /\/applications$/, 'tab.GeneralData')
    // The form may start offline (D33); then it changes its address when the server has created the application.
    await page.getByText(applicant.t('form.noNumber')).waitFor({ state: 'detached' })
    await applicant.fillTabs(firstPassport)
    await press('button.submit', /\/data$/, 'confirm.heading')
    await press('button.confirm', /\/confirmData$/, 'payment.heading')
    await page.getByRole('radio', { name: applicant.t('method.MOCK') }).check()
    await press('button.pay', /\/mock-payment-init/, 'payResult.heading')
    await page.getByText(applicant.t('status.SUCCESS')).first().waitFor()
    await applicant.goToAppointment()
    await applicant.choosePlace()
    await press('button.confirm', /\/appointments\?/, 'schedule.heading')
    await press('button.finalize', /\/confirm\?/, 'final.heading')
    expect(await readServer()).toEqual({ applications: ['APPOINTMENT_SCHEDULED'], payments: ['SUCCESS'] })
    const receipt = await applicant.downloadReceipt()
    expect(await receipt.failure()).toBe(null)
    await context.close()
  },
)

it('a field of a form that starts offline keeps its position, its focus and each typed letter when the server creates the application (D33)', async () => {
  const { page, context, applicant } = await fixture.openApplicant('fr', opened =>
    opened.setViewportSize({ width: 360, height: 400 }),
  )
  await applicant.signInByPhone('671330999')
  fixture
    .proxy()
    .arm('foreign-503-empty', ({ method, path }) => method === 'POST' && path.endsWith('/applications'))
  await applicant.button('procedure.new').first().click()
  await applicant.heading('tab.GeneralData')
  await page.getByText(applicant.t('form.noNumber')).waitFor()
  const field = applicant.named('reasonForTravel')
  await field.focus()
  await field.evaluate(element => element.scrollIntoView({ block: 'center' }))
  // In the window: the browser scrolls when a line above the field disappears.
  const topOfField = async () => Math.round((await field.boundingBox())?.y ?? 0)
  const before = await topOfField()
  let typed = ''
  await until('the number of the application', async () => {
    await page.keyboard.press('a')
    typed += 'a'
    return page.url().includes('/PP-') || undefined
  })
  await page.getByText('PP-').first().waitFor()
  await page.keyboard.type('bc')
  expect(await field.inputValue()).toBe(`${typed}bc`)
  expect(await topOfField()).toBe(before)
  await context.close()
})

/** Presses a button whose request meets the fault, and again while the page still offers it, as an applicant does. */
function createPress({ page, t, button }: Applicant, kind: FaultKind) {
  return async (label: Key, path: RegExp, next: Key): Promise<void> => {
    const control = button(label).first()
    fixture.proxy().arm(kind, request => request.method === 'POST' && path.test(request.path))
    await control.click()
    await until(`${kind} at ${label}`, async () => fixture.proxy().hasStruck() || undefined)
    await until(`the step after ${label}`, async () => {
      if (await page.getByRole('heading', { level: 1, name: t(next), exact: true }).isVisible()) return true
      if (await isOffered(control)) await control.click({ timeout: 1_000 }).catch(() => undefined)
      return undefined
    })
  }
}

async function isOffered(control: Locator): Promise<boolean> {
  if (!(await control.isVisible())) return false
  return (await control.getAttribute('aria-disabled', { timeout: 500 }).catch(() => 'true')) !== 'true'
}

/** The states of all applications, and of the payments of the first one, asked directly, not through the proxy. */
async function readServer() {
  const requests = fixture.proxy().requests()
  const authorization = requests.findLast(each => each.authorization)?.authorization ?? ''
  const ask = async <Data>(path: string) => {
    const response = await fetch(`${fixture.portal().origin}/api/v1${path}`, { headers: { authorization } })
    const { data } = (await response.json()) as { data: Data } // only the fields that the test reads
    return data
  }
  const applications = await ask<{ id: string; currentState: string }[]>('/applications')
  const payments = await ask<{ paymentStatus: string }[]>(`/payments?applicationId=${applications[0]?.id}`)
  return {
    applications: applications.map(({ currentState }) => currentState),
    payments: payments.map(({ paymentStatus }) => paymentStatus),
  }
}
