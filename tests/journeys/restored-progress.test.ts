import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Applicant } from '#support/browsers/applicant.ts'
import {
  createConfirmedApplication,
  openCardAtGateway,
  openPaidApplication,
} from '#support/browsers/application-by-calls.ts'
import { changeSurname } from '#support/browsers/change-surname.ts'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { backUp } from '#support/servers/back-up.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = startBrowserFixture(
  { CAPTCHA: 'off', PAYMENT_SIMULATORS: 'on' },
  { hasEmbeddedDatabase: true },
)

type Phone = { applicant: Applicant; page: Page; context: BrowserContext; contact: string }

/**
 * What an applicant does before the backup and between the backup and the restore, and what the phone must then offer. All
 * stories share one restore, because it stops the server.
 */
type Story = { title: string; before(): Promise<void>; between(): Promise<void>; after(): Promise<void> }

const addressOf = (screen: string, { appId, appNumber }: { appId: string; appNumber: string }) =>
  `/${screen}/${appId}/${appNumber}`

async function openPhone(contact: string): Promise<Phone> {
  return { ...(await fixture.openSignedIn('fr', contact)), contact }
}

async function changeAndConfirm(phone: Phone, app: { appId: string; appNumber: string }, surname: string) {
  await changeSurname(phone.applicant, addressOf('form', app), surname)
  await phone.page.goto(addressOf('confirm', app))
  await phone.applicant.heading('confirm.heading')
  await phone.applicant.confirmData()
}

/** Keeps the answers of this phone: the server gets them, and the page still has the surname after a reload. */
async function keepMine({ applicant, page }: Phone, surname: string) {
  await applicant.button('choice.keepMine').click()
  await page.getByText(applicant.t('form.onServer'), { exact: false }).waitFor()
  await page.reload()
  await expect.poll(() => applicant.named('surname').inputValue()).toBe(surname)
  expect(await applicant.button('choice.keepMine').count()).toBe(0)
}

async function openChoiceFromList({ applicant, page }: Phone) {
  await page.getByText(applicant.t('form.choiceOpen')).waitFor()
  await page.getByRole('link', { name: applicant.t('procedure.open.form') }).click()
  await applicant.button('choice.keepMine').waitFor()
}

function confirmedAfterBackup(contact: string, isPaid: boolean): Story {
  let phone: Phone
  let app: { appId: string; appNumber: string }
  return {
    title: `answers confirmed after the backup are offered${isPaid ? ', and the lost payment is named' : ''} (D62)`,
    async before() {
      phone = await openPhone(contact)
      app = await createConfirmedApplication(phone.page)
    },
    async between() {
      await changeAndConfirm(phone, app, 'Nouvelle')
      if (isPaid) await phone.applicant.payByDemonstration()
    },
    async after() {
      const { applicant, page } = phone
      await applicant.signInByCalls(contact)
      if (isPaid) await page.getByText(applicant.t('lost.payment')).waitFor()
      await openChoiceFromList(phone)
      await page.goto(`${addressOf('form', app)}/PersonData`)
      await keepMine(phone, 'Nouvelle')
      if (isPaid) {
        await page.goto(addressOf('payment', app))
        await applicant.heading('payment.heading')
        await page.getByText(applicant.t('lost.payment')).waitFor()
      }
      await phone.context.close()
    },
  }
}

function bookedAfterBackup(contact: string): Story {
  let phone: Phone
  return {
    title: 'an appointment booked after the backup is named on the list (D62)',
    async before() {
      phone = { ...(await fixture.openWelcome('fr')), contact }
      await openPaidApplication(phone.applicant, contact)
    },
    async between() {
      const { applicant, page } = phone
      await page.getByRole('link', { name: applicant.t('procedure.open.appointment') }).click()
      await applicant.bookPlace()
      await applicant.finalize()
      await page.goto('/procedure')
      await page.getByRole('link', { name: applicant.t('procedure.open.final') }).waitFor()
    },
    async after() {
      const { applicant, page } = phone
      await applicant.signInByCalls(contact)
      const [text = ''] = applicant.t('lost.appointment').split('{')
      await page.getByText(text, { exact: false }).waitFor()
      expect(await page.getByText(applicant.t('lost.payment')).count()).toBe(0)
      await page.getByRole('link', { name: applicant.t('procedure.open.appointment') }).waitFor()
      await phone.context.close()
    },
  }
}

function changedAfterBackup(contact: string): Story {
  let phone: Phone
  return {
    title:
      'a change of an appointment after the backup is named, with the earlier appointment, which is valid again (D62)',
    async before() {
      phone = { ...(await fixture.openWelcome('fr')), contact }
      const { applicant, page } = phone
      await openPaidApplication(applicant, contact)
      await page.getByRole('link', { name: applicant.t('procedure.open.appointment') }).click()
      await applicant.bookPlace()
      await applicant.finalize()
    },
    async between() {
      const { applicant, page } = phone
      await applicant.button('button.changeAppointment').click()
      await applicant.heading('appointment.changeHeading')
      await expect.poll(() => applicant.named('time').inputValue()).not.toBe('')
      await applicant.named('date').selectOption({ index: 8 })
      await expect.poll(() => applicant.named('time').inputValue()).not.toBe('')
      await applicant.button('button.confirm').click()
      await applicant.heading('schedule.heading')
      await applicant.finalize()
      await page.goto('/procedure')
      await page.getByText(applicant.t('state.APPOINTMENT_CHANGED')).first().waitFor()
    },
    async after() {
      const { applicant, page } = phone
      await applicant.signInByCalls(contact)
      for (const key of ['lost.appointment', 'lost.earlier'] as const) {
        const [text = ''] = applicant.t(key).split('{')
        await page.getByText(text, { exact: false }).waitFor()
      }
      expect(await page.getByText(applicant.t('lost.payment')).count()).toBe(0)
      await phone.context.close()
    },
  }
}

function typedAfterBackup(contact: string, isOffline: boolean): Story {
  let phone: Phone
  let form = ''
  return {
    title: `answers typed ${isOffline ? 'offline in an open form' : 'in a form that the applicant has left'} are offered (D62)`,
    async before() {
      phone = await openPhone(contact)
      const app = await createConfirmedApplication(phone.page)
      form = addressOf('form', app)
      await changeSurname(phone.applicant, form, 'Ancienne')
    },
    async between() {
      await changeSurname(phone.applicant, form, 'Nouvelle')
      if (!isOffline) return void (await phone.page.goto('about:blank'))
      await phone.context.setOffline(true)
      await phone.applicant.named('surname').fill('Hors ligne')
      await phone.applicant.named('surname').blur()
      await phone.page.getByText(phone.applicant.t('form.waiting')).waitFor()
    },
    async after() {
      await phone.context.setOffline(false)
      await phone.page.goto('/')
      await phone.applicant.signInByCalls(contact)
      await openChoiceFromList(phone)
      await phone.page.goto(`${form}/PersonData`)
      await keepMine(phone, isOffline ? 'Hors ligne' : 'Nouvelle')
      await phone.context.close()
    },
  }
}

function createdAfterBackup(contact: string): Story {
  let phone: Phone
  return {
    title:
      'an application created and paid after the backup is named, and the applicant can start it again (D62, D63)',
    before: async () => undefined,
    async between() {
      phone = await openPhone(contact)
      const app = await createConfirmedApplication(phone.page)
      await changeAndConfirm(phone, app, 'Nouvelle')
      await phone.applicant.payByDemonstration()
      await phone.page.goto('/procedure')
      await phone.page.getByRole('link', { name: phone.applicant.t('procedure.open.appointment') }).waitFor()
    },
    async after() {
      const { applicant, page } = phone
      await page.goto('/')
      await applicant.signInByCalls(contact)
      await page.getByRole('heading', { name: applicant.t('unknown.heading') }).waitFor()
      await page.getByText(applicant.t('lost.payment')).waitFor()
      await applicant.button('unknown.restart').click()
      await applicant.heading('tab.PersonData')
      expect(await applicant.named('surname').inputValue()).toBe('Nouvelle')
      await page.getByText(applicant.t('form.onServer'), { exact: false }).waitFor()
      await phone.context.close()
    },
  }
}

function paymentOpenAtRestore(contact: string): Story {
  let phone: Phone
  let app: { appId: string; appNumber: string }
  return {
    title: 'a payment that was open at the restore is named on the payment screen (D62)',
    async before() {
      phone = await openPhone(contact)
      app = await createConfirmedApplication(phone.page)
    },
    async between() {
      await openCardAtGateway(phone.page, app)
      await phone.page.goto(addressOf('payment', app))
      await phone.page.getByText(phone.applicant.t('payment.underWay')).waitFor()
    },
    async after() {
      const { applicant, page } = phone
      await applicant.signInByCalls(contact)
      await page.goto(addressOf('payment', app))
      await applicant.heading('payment.heading')
      await page.getByText(applicant.t('lost.payment')).waitFor()
      await phone.context.close()
    },
  }
}

function sharedDevice(contact: string): Story {
  let phone: Phone
  let app: { appId: string; appNumber: string }
  return {
    title:
      'answers confirmed on a shared device are not deleted without a question, and are offered (D31, D62)',
    async before() {
      phone = { ...(await fixture.openWelcome('fr')), contact }
      const { applicant, page } = phone
      await page.goto('/?shared=1')
      await signInShared(phone)
      app = await createConfirmedApplication(page)
      await page.reload()
      await applicant.heading('procedure.heading')
    },
    async between() {
      const { applicant, page } = phone
      await page.getByRole('link', { name: applicant.t('procedure.open.payment') }).waitFor()
      await changeAndConfirm(phone, app, 'Nouvelle')
      await page.goto('/procedure')
    },
    async after() {
      const { applicant, page } = phone
      await page.getByRole('button', { name: applicant.t('button.logOut') }).click()
      await page.getByRole('heading', { name: applicant.t('leaving.loseHeading') }).waitFor()
      await page.getByRole('button', { name: applicant.t('leaving.stay') }).click()
      await page.reload()
      await applicant.heading('welcome.heading')
      await signInShared(phone)
      await openChoiceFromList(phone)
      await phone.context.close()
    },
  }
}

async function signInShared({ applicant, page, contact }: Phone) {
  const { named, button, heading, t } = applicant
  await page.goto('/mobile')
  await expect.poll(() => page.getByLabel(t('signIn.shared')).isChecked()).toBe(true)
  await named('phoneNumber').fill(contact)
  await button('button.continue').click()
  await heading('password.heading')
  await page.getByLabel(t('password.code')).fill(await fixture.portal().codeFor(`237${contact}`))
  await button('button.continue').click()
  await heading('procedure.heading')
}

const stories = [
  confirmedAfterBackup('677150001', false),
  confirmedAfterBackup('677150002', true),
  bookedAfterBackup('677150003'),
  typedAfterBackup('677150004', true),
  typedAfterBackup('677150005', false),
  createdAfterBackup('677150006'),
  paymentOpenAtRestore('677150007'),
  sharedDevice('677150008'),
  changedAfterBackup('677150009'),
]

describe.runIf(isFullRun)('after a restore from an older backup', () => {
  const failures = new Map<Story, unknown>()

  /** A failure before the restore is reported by the test of its story. */
  async function runAll(step: 'before' | 'between') {
    for (const story of stories.filter(each => !failures.has(each)))
      await story[step]().catch(error => failures.set(story, error))
  }

  it('runs each story until the restore; the test of a story reports its failure', async () => {
    await runAll('before')
    const backup = await backUp(fixture.portal())
    await runAll('between')
    await backup.restore()
  }, 1_200_000)

  it.each(stories.map(story => [story.title, story] as const))(
    '%s',
    async (_, story) => {
      if (failures.has(story)) throw failures.get(story)
      await story.after()
    },
    180_000,
  )
})
