import type { Applicant } from './applicant.ts'

/** Opens the form at this address, changes the surname, and waits until the form says that the server has it. */
export async function changeSurname(applicant: Applicant, form: string, surname: string): Promise<void> {
  const { page } = applicant
  await page.goto(`${form}/PersonData`)
  await applicant.heading('tab.PersonData')
  const sent = page.waitForResponse(
    answer => answer.url().endsWith('/data') && answer.request().method() === 'POST',
  )
  await applicant.named('surname').fill(surname)
  await applicant.named('surname').blur()
  await sent
  await page.getByText(applicant.t('form.onServer'), { exact: false }).waitFor()
}
