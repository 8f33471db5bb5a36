import type { Page } from 'playwright-core'

/** Collects the number of each application, and the ids of it, of its payments and of its appointment, from the server's answers. */
export function collectIds(page: Page): Set<string> {
  const ids = new Set<string>()
  page.on('response', async answer => {
    if (!/\/api\/v1\/(?:applications|payments|appointments)/.test(answer.url())) return
    const text = await answer.text().catch(() => '')
    const pattern = /"(?:id|applicationId|applicationNumber|paymentId|appointmentId)":"([\w-]{8,})"/g
    for (const [, id = ''] of text.matchAll(pattern)) ids.add(id)
  })
  return ids
}

/** Resolves to the readable address of the form that the next answer creates: on a shared device the page does not show it. */
export async function addressOfNewForm(page: Page): Promise<string> {
  const answer = await page.waitForResponse(
    each => each.request().method() === 'POST' && new URL(each.url()).pathname === '/api/v1/applications',
  )
  const { data } = await answer.json()
  return `/form/${data.id}/${data.applicationNumber}/GeneralData`
}
