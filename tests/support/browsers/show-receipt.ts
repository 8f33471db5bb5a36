import type { Page } from 'playwright-core'
import type { Applicant } from './applicant.ts'

/** Opens the receipt inside the portal and waits until its first page is drawn. */
export async function showReceipt(applicant: Applicant): Promise<void> {
  await applicant.button('button.showReceipt').click()
  await waitForReceipt(applicant.page)
}

const timeoutMs = 240_000
const pollingMs = 50

/** Waits until the receipt is drawn. */
export async function waitForReceipt(page: Page): Promise<void> {
  await page.waitForFunction(isDrawn, undefined, { polling: pollingMs, timeout: timeoutMs })
}

/** Runs in the page. */
function isDrawn(): boolean {
  const canvas = document.querySelector('canvas')
  if (!canvas || canvas.width === 0) return false
  const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? []
  let dark = 0
  for (let at = 0; at < pixels.length; at += 4)
    if ((pixels[at] ?? 255) < 128 && (pixels[at + 3] ?? 0) > 0) dark += 1
  return dark > 500
}
