import type { Page } from 'playwright-core'

/** Collects from the server's answers the ids and numbers of applications, and the ids of payments and appointments. */
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

/**
 * Waits for the call that creates an application. Resolves to the readable address of its form, which the page of a
 * shared device does not show.
 */
export async function addressOfNewForm(page: Page): Promise<string> {
  const answer = await page.waitForResponse(
    each => each.request().method() === 'POST' && new URL(each.url()).pathname === '/api/v1/applications',
  )
  const { data } = await answer.json()
  return `/form/${data.id}/${data.applicationNumber}/GeneralData`
}
