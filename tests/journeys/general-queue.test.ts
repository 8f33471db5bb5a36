import { describe, expect, it } from 'vitest'
import { answerAsServer } from '#support/browsers/answer-as-server.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { findAxeFaults } from '#support/checks/axe-faults.ts'
import { isFullRun, testedLanguages } from '#support/test-tier.ts'
import { readPdfText } from '#support/checks/pdf-text.ts'
import { openPaidApplication } from '#support/browsers/application-by-calls.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'

const fixture = joinBrowserFixture()

const vatican = '11202'
const france = '11037'
const onTheReceipt = {
  fr: ['Ambassade du Cameroun – Vatican', 'vous avez répondu n’en avoir aucune'],
  en: ['Embassy of Cameroon – Vatican', 'you answered that you have none'],
}
const availableDates = '**/api/v1/appointments/offices/*/available-dates*'

describe.each(testedLanguages)('the general queue, in %s', language => {
  const phone = `67${testedLanguages.indexOf(language)}456789`
  const otherPhone = `67${testedLanguages.indexOf(language)}567890`

  it('gives an application its receipt when an office has no dates (APT05 APT06 APT14 FIN09 S09)', async () => {
    const { page, context, faults, applicant } = await fixture.openWelcome(language)
    const { t, named, button } = applicant
    const number = await openPaidApplication(applicant, phone, { ...firstPassport, selectNic: '1' })
    await page.getByRole('link', { name: t('procedure.open.appointment') }).click()
    await applicant.heading('appointment.heading')
    await named('country').selectOption(vatican)
    await page.getByRole('heading', { name: t('appointment.generalQueue') }).waitFor()
    await page.getByText(t('appointment.noDates')).waitFor()
    expect(await findAxeFaults(page)).toEqual([])
    await button('button.confirm').click()
    await applicant.heading('schedule.heading')
    const receipt = await applicant.finalize()
    const text = await readPdfText(await receipt.path())
    expect(text).toContain(number)
    expect(text).toContain(t('appointment.generalQueue'))
    for (const expected of onTheReceipt[language]) expect(text).toContain(expected)
    expect(faults).toEqual({ requests: [], console: [] })
    await context.close()
  })

  it.runIf(isFullRun)(
    'is replaced by the dates that the office has added, which the page reads again and shows (ERR19 S09)',
    async () => {
      const { page, context, applicant } = await fixture.openWelcome(language)
      const { t, named, button } = applicant
      await openPaidApplication(applicant, otherPhone)
      await page.getByRole('link', { name: t('procedure.open.appointment') }).click()
      await applicant.heading('appointment.heading')
      await page.route(availableDates, route => answerAsServer(route, { json: { data: { data: [] } } }))
      await named('country').selectOption(france)
      await named('city').selectOption({ label: 'Marseille' })
      await page.getByRole('heading', { name: t('appointment.generalQueue') }).waitFor()
      await page.unroute(availableDates)
      await button('button.confirm').click()
      await page.getByText(t('notice.chooseTime')).first().waitFor()
      await expect.poll(() => named('time').inputValue()).not.toBe('')
      expect(await page.getByRole('heading', { name: t('appointment.generalQueue') }).count()).toBe(0)
      await button('button.confirm').click()
      await applicant.heading('schedule.heading')
      await context.close()
    },
  )
})
