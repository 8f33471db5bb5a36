import { waitForWorker } from '#support/browsers/wait-for-worker.ts'
import { waitUntilIdle } from '../visit.ts'
import { readLastTap, whenCodeShown, whenUsable } from './in-page.ts'
import { journeyScreens } from './journey-screens.ts'
import type { SlowPortal } from './slow-portal.ts'
import type { Walk } from './walk-journey.ts'

/**
 * From the tap until the code of the receipt is shown, in milliseconds; undefined when the page cannot show the
 * receipt.
 */
export type ReceiptTimes = { offlineMs: number | undefined; onlineMs: number | undefined }

const timeoutMs = 240_000

/** Shows the receipt on a page that is opened again: without a connection, then with one. */
export async function timeReceipt({ applicant }: Walk, { proxy }: SlowPortal): Promise<ReceiptTimes> {
  await waitForWorker(applicant.page)
  await waitUntilIdle(applicant.page, proxy, { hasWorker: true })
  proxy.cut()
  const offlineMs = await timeOnce(applicant)
  proxy.restore()
  return { offlineMs, onlineMs: await timeOnce(applicant) }
}

async function timeOnce({ page, t, button }: Walk['applicant']): Promise<number | undefined> {
  await page.reload({ waitUntil: 'commit' })
  const address = journeyScreens.at(-1)?.address ?? ''
  await page.waitForFunction(whenUsable, { address, previousHeading: '', label: t('button.showReceipt') })
  await button('button.showReceipt').click()
  const tapMs = await page.evaluate(readLastTap)
  const texts = { code: t('final.code'), failed: t('final.showFailed') }
  const shown = await page.waitForFunction(whenCodeShown, texts, { timeout: timeoutMs })
  const shownAtMs = (await shown.jsonValue()) ?? -1
  return shownAtMs > 0 ? shownAtMs - tapMs : undefined
}
