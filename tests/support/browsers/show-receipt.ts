import type { Applicant } from './applicant.ts'
import { until } from '#support/servers/portal.ts'

/** Opens the signed code of the receipt inside the portal, then its pages, and waits until the first page is drawn. */
export async function showReceipt(applicant: Applicant): Promise<void> {
  await applicant.button('button.showReceipt').click()
  await applicant.page.getByRole('img', { name: applicant.t('final.code') }).waitFor()
  await applicant.button('final.showPages').click()
  const sheet = applicant.page.locator('canvas').first()
  await sheet.waitFor()
  await until('the receipt to be drawn', async () => ((await sheet.evaluate(isDrawn)) ? true : undefined))
}

/** Runs in the page. */
function isDrawn(element: Element): boolean {
  if (!(element instanceof HTMLCanvasElement) || element.width === 0) return false
  const pixels = element.getContext('2d')?.getImageData(0, 0, element.width, element.height).data ?? []
  let dark = 0
  for (let at = 0; at < pixels.length; at += 4)
    if ((pixels[at] ?? 255) < 128 && (pixels[at + 3] ?? 0) > 0) dark += 1
  return dark > 500
}
