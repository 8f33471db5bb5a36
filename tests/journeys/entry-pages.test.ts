import { describe, expect, it } from 'vitest'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { stopClock } from '#support/browsers/stop-clock.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = joinBrowserFixture()

const id = '018f3a00-0000-7000-8000-000000000001'
const allGuarded = [
  '/procedure',
  '/account',
  `/form/${id}/N1/GeneralData`,
  `/form/${id}/N1/PersonData`,
  `/form/${id}/N1/ParentData`,
  `/form/${id}/N1/NicData`,
  `/confirm/${id}/N1`,
  `/payment/${id}/N1`,
  '/cardPayment',
  `/payOtp/${id}/N1/${id}`,
  `/payResult/${id}/N1/${id}`,
  `/appointment/${id}/N1`,
  `/appointment/${id}/N1/${id}`,
  `/schedule/${id}/N1/${id}`,
  `/final/${id}/N1/${id}`,
]
/** tests/structure/routes.test.ts checks that every route of these has the guard. */
const guarded = isFullRun ? allGuarded : allGuarded.filter((_, index) => index % 4 === 0)

describe('without a session', () => {
  it('redirects every screen that needs a session to the welcome page with "Sign in to the app!" (NAV03)', async () => {
    const { page, context, applicant } = await fixture.openWelcome('en')
    for (const address of guarded) {
      await page.goto(address)
      await page.getByText('Sign in to the app!').first().waitFor()
      await applicant.heading('welcome.heading')
      expect(new URL(page.url()).pathname, address).toBe('/')
    }
    await context.close()
  })

  it('opens the four sign-in pages by their URLs (NAV01, NAV02)', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr')
    for (const [address, heading] of [
      ['/', 'welcome.heading'],
      ['/mobile', 'mobile.heading'],
      ['/mail', 'mail.heading'],
      ['/password', 'password.heading'],
    ] as const) {
      await page.goto(address)
      await applicant.heading(heading)
    }
    await context.close()
  })

  // The browsers of the tests use the widest font (chromium.ts).
  it('shows both ways to sign in without scrolling on a phone of 360 × 640 with a wide font (NAV29)', async () => {
    const { page, context } = await fixture.openWelcome('fr', { width: 360, height: 640 })
    for (const address of ['/mobile', '/mail']) {
      const box = await page.locator(`main a[href="${address}"]`).boundingBox()
      expect((box?.y ?? Infinity) + (box?.height ?? 0), address).toBeLessThanOrEqual(640)
    }
    await context.close()
  })

  it('leads from the welcome page to the check of a receipt (D44)', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr')
    await page.getByRole('link', { name: applicant.t('welcome.verify') }).click()
    await applicant.heading('verify.heading')
    await context.close()
  })

  it('shows a short page with a link for an unknown URL (S66)', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr')
    await page.goto('/nulle/part')
    await applicant.heading('notFound.heading')
    expect(await page.locator('[aria-current="step"]').count()).toBe(0)
    expect(await page.getByRole('link', { name: applicant.t('notFound.procedure') }).count()).toBe(0)
    await page.getByRole('link', { name: applicant.t('notFound.home') }).click()
    await applicant.heading('welcome.heading')
    await context.close()
  })
})

describe('a session', () => {
  it('starts with a code by e-mail, survives a reload, and ends on Log out (LST02, SES12, S81)', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr')
    await applicant.signInByEmail('aicha.tchoumi@example.cm')
    await page.reload()
    await applicant.heading('procedure.heading')
    await page.goto('/nulle/part')
    await applicant.heading('notFound.heading')
    await page.getByRole('link', { name: applicant.t('notFound.home') }).waitFor()
    await page.getByRole('link', { name: applicant.t('notFound.procedure') }).click()
    await applicant.heading('procedure.heading')
    await page.getByRole('button', { name: applicant.t('button.logOut') }).click()
    await applicant.heading('welcome.heading')
    await page.goto('/procedure')
    await applicant.heading('welcome.heading')
    await context.close()
  })

  it.runIf(isFullRun)(
    'redirects from a screen that the application is not ready for to the screen that its card in the list opens (S56)',
    async () => {
      const { page, context, applicant } = await fixture.openSignedIn('fr', '671000010')
      await applicant.startApplication()
      const [, , appId, appNumber] = new URL(page.url()).pathname.split('/')
      await page.goto(`/payment/${appId}/${appNumber}`)
      await applicant.heading('tab.GeneralData')
      await page.goto(`/appointment/${appId}/${appNumber}`)
      await applicant.heading('tab.GeneralData')
      await page.goto(`/form/${id}/N1/GeneralData`)
      await applicant.heading('procedure.heading')
      await context.close()
    },
  )
})

describe('notices', () => {
  it.runIf(isFullRun)('disappear after 3 seconds; their text stays in the page (ERR28, D51)', async () => {
    const { page, context, applicant } = await fixture.openWelcome('en')
    await page.clock.install()
    await page.goto('/mobile')
    await applicant.named('phoneNumber').fill('671000011')
    // After hydration: an earlier press is repeated by a timer, which a stopped clock never runs.
    await page.locator('#root:not([data-painted])').waitFor()
    await stopClock(page)
    await applicant.button('button.continue').click()
    await applicant.heading('password.heading')
    const notice = page.getByText('A confirmation code has been sent to your number')
    await notice.first().waitFor()
    const close = page.getByRole('button', { name: applicant.t('button.closeNotice') })
    await page.clock.fastForward(2_500)
    expect(await close.count()).toBe(1)
    await page.clock.fastForward(1_000)
    await close.waitFor({ state: 'detached' })
    expect(await notice.count()).toBe(1)
    expect(await notice.isVisible()).toBe(true)
    await context.close()
  })
})
