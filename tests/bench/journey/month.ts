import type { BrowserContext, Page } from 'playwright-core'
import type { Portal } from '#support/servers/portal.ts'
import { createApplicant } from '#support/browsers/applicant.ts'
import { waitForWorker } from '#support/browsers/wait-for-worker.ts'
import { waitUntilIdle } from '../visit.ts'
import { countingPace } from './answer-screen.ts'
import { type Body, describeKinds } from './bytes-by-kind.ts'
import type { SlowPortal } from './slow-portal.ts'
import { walkJourney } from './walk-journey.ts'

/** What one visit has loaded: `bytes` with headers and encryption. */
export type MonthVisit = { visit: string; bytes: number; bodies: readonly Body[] }

type Phone = { page: Page; context: BrowserContext; portal: Portal; slow: SlowPortal; phone: string }

/**
 * The visits of a month on one phone: the whole way with the receipt as a file; a week later a new sign-in, the list
 * and the final page; on the day of the appointment the receipt with its QR code.
 */
export async function visitForMonth({ page, context, portal, slow, phone }: Phone): Promise<MonthVisit[]> {
  const visits: MonthVisit[] = []
  let [before, bodiesBefore] = [0, 0]
  const recordVisit = async (open: Page, visit: string) => {
    await waitUntilIdle(open, slow.proxy, { hasWorker: true })
    const bodies = slow.bodies().slice(bodiesBefore)
    visits.push({ visit, bytes: slow.proxy.deliveredBytes() - before, bodies })
    before = slow.proxy.deliveredBytes()
    bodiesBefore += bodies.length
  }
  const { applicant } = await walkJourney({ page, portal, phone, pace: countingPace })
  await applicant.downloadReceipt()
  await waitForWorker(page)
  await recordVisit(page, 'the whole way, with the PDF of the receipt')
  await page.close()

  // The session has ended since.
  await context.clearCookies()
  const second = await context.newPage()
  const again = createApplicant(second, portal, 'fr')
  await second.goto('/')
  await again.signInByPhone(phone)
  await openFinalPage(second)
  await again.heading('final.heading')
  await recordVisit(second, 'a week later: a new sign-in, the list, the final page')
  await second.close()

  const third = await context.newPage()
  const onTheDay = createApplicant(third, portal, 'fr')
  await third.goto('/procedure')
  await openFinalPage(third)
  await onTheDay.button('button.showReceipt').click()
  await third.getByRole('img', { name: onTheDay.t('final.code') }).waitFor()
  await recordVisit(third, 'on the day: the list, the receipt with its QR code')
  return visits
}

export function describeMonth(visits: readonly MonthVisit[]): string {
  const [wholeWay] = visits
  const rows = [...visits, { visit: 'sum', bytes: visits.reduce((sum, { bytes }) => sum + bytes, 0) }]
  return [
    '| visit | KiB |',
    '| --- | ---: |',
    ...rows.map(({ visit, bytes }) => `| ${visit} | ${(bytes / 1_024).toFixed(1)} |`),
    '',
    'Reminders come by SMS and e-mail and load nothing. A release between two visits makes the phone load the changed files;',
    '`tests/journeys/update-bytes.test.ts` limits their size for a release that changes one word.',
    '',
    'The whole way consists of:',
    '',
    wholeWay ? describeKinds(wholeWay.bodies, wholeWay.bytes) : '',
  ].join('\n')
}

async function openFinalPage(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('link', { name: /PP-/ }).first().click()
}
