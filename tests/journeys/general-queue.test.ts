import { describe, expect, it } from 'vitest'
import { firstPassport } from '#support/applicants.ts'
import { pdfText } from '#support/pdf-text.ts'
import { walkThePortal } from '#support/walk.ts'

const walk = walkThePortal()

const vatican = '11202'
const france = '11037'
const availableDates = '**/api/v1/appointments/offices/*/available-dates*'

describe('the general queue', () => {
  it('leads an application to its receipt where an office publishes no dates (APT05, APT14, FIN09, S09)', async () => {
    const { page, context, faults, applicant } = await walk.meet('fr')
    const { t, named, button } = applicant
    await applicant.signInByPhone('673 45 67 89')
    await applicant.startApplication()
    const number = await applicant.applicationNumber()
    await applicant.fillForm({ ...firstPassport, phoneNumber: '673456789', selectNic: '1' })
    await applicant.confirmData()
    await applicant.payByDemonstration()
    await named('country').selectOption(vatican)
    await page.getByRole('heading', { name: t('appointment.generalQueue') }).waitFor()
    await page.getByText(t('appointment.noDates')).waitFor()
    await button('button.confirm').click()
    await applicant.heading('schedule.heading')
    const receipt = await applicant.finalize()
    const text = await pdfText(await receipt.path())
    expect(text).toContain(number)
    expect(text).toContain(t('appointment.generalQueue'))
    expect(text).toContain('Ambassade du Cameroun - Vatican')
    expect(text).toContain('vous avez répondu n’en avoir aucune')
    expect(faults).toEqual({ requests: [], console: [] })
    await context.close()
  })

  it('gives way to the dates that came back meanwhile, which the page reads again and shows (ERR19, S09)', async () => {
    const { page, context, applicant } = await walk.meet('en')
    const { t, named, button } = applicant
    await applicant.signInByPhone('674 56 78 90')
    await applicant.startApplication()
    await applicant.fillForm({ ...firstPassport, phoneNumber: '674567890' })
    await applicant.confirmData()
    await applicant.payByDemonstration()
    await page.route(availableDates, route => route.fulfill({ json: { data: { data: [] } } }))
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
  })
})
