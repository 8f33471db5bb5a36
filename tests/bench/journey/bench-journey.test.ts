import { cpus } from 'node:os'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { describe, it } from 'vitest'
import type { FormValues } from '#contract/application.ts'
import { launchChromium } from '#support/browsers/chromium.ts'
import { showReceipt } from '#support/browsers/show-receipt.ts'
import { openWatchedPage } from '#support/browsers/watched-page.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { dateInDays } from '#support/data/dates.ts'
import { type Portal, startPortal } from '#support/servers/portal.ts'
import { type Certificate, makeCertificate } from '../https-server.ts'
import { type Network, slowNetwork } from '../slow-proxy.ts'
import { waitUntilIdle } from '../visit.ts'
import { briskPace, countingPace } from './answer-screen.ts'
import { observeApplicant, receiveSmsCodes, takeLongTasks } from './in-page.ts'
import { onlyRequired } from './journey-screens.ts'
import { describeNetworkRun } from './network-report.ts'
import { describeMonth, visitForMonth } from './month.ts'
import { isQuiet, measureOtherWork, type OtherWork } from './quiet-machine.ts'
import { partHeadings, type PartName, partNames, writeParts } from './report-file.ts'
import { openSlowPortal, type SlowPortal } from './slow-portal.ts'
import { timeReceipt } from './time-receipt.ts'
import { walkJourney } from './walk-journey.ts'
import { describeWork } from './work-report.ts'

const wanted = process.env['BENCH_JOURNEY']?.split(',') ?? []
const cpuSlowdown = 4
/** Long, because on a bad network a slow step is no failure. */
const stepTimeoutMs = 300_000

const worstNetwork: Network = { bytesPerMs: 6.25, oneWayDelayMs: 1_000, lossRate: 0.05 }
const fastNetwork: Network = { bytesPerMs: 100_000, oneWayDelayMs: 0, lossRate: 0 }

type NetworkPart = Exclude<PartName, 'counts' | 'month'>

/** MTN's numbers. The simulated payer of each pays soon: only 50 to 55 at the end change that (`demo-payers.ts`). */
const phones: Record<PartName | 'before' | 'fewest', string> = {
  counts: '671234561',
  slow: '671234562',
  worst: '671234563',
  warm: '671234564',
  before: '671234565',
  fewest: '671234566',
  month: '671234567',
}

const conditions: Record<NetworkPart, string> = {
  slow: '400 kbit/s in each direction, round trip 400 ms, empty cache',
  worst: '50 kbit/s in each direction, round trip 2 s, 5 % of the packets lost, empty cache',
  warm: '400 kbit/s in each direction, round trip 400 ms; another applicant has gone the whole way on this phone before',
}

/** Writes a report and asserts nothing: only an idle machine gives reliable times. */
describe('the whole journey, counted and on bad networks', () => {
  it('writes docs/bench-journey.md; times only of a quiet machine', { timeout: 7_200_000 }, async () => {
    const certificate = makeCertificate()
    const portal = await startPortal({ PAYMENT_SIMULATORS: 'on' })
    const options = [`--ignore-certificate-errors-spki-list=${certificate.fingerprint}`]
    // The system font of most phones decides how high the pages are.
    const browser = await launchChromium('Roboto', options)
    try {
      for (const part of partNames.filter(name => wanted.includes(name))) {
        if (part === 'counts') await countWork(browser, portal)
        else if (part === 'month') await countMonth({ browser, portal, certificate })
        else {
          const slow = await openSlowPortal(
            portal,
            certificate,
            part === 'worst' ? worstNetwork : slowNetwork,
          )
          try {
            await measureNetwork({ part, browser, portal, slow })
          } finally {
            await slow.close()
          }
        }
      }
    } finally {
      await browser.close()
      await portal.close()
    }
  })
})

async function countWork(browser: Browser, portal: Portal): Promise<void> {
  const visits = await countVisits({ phone: phones.counts, form: firstPassport })
  const fewest = await countVisits({ phone: phones.fewest, form: onlyRequired })
  report('counts', `Counted on ${dateInDays(0)}.\n\n${describeWork(visits, fewest)}`)

  async function countVisits(applicant: { phone: string; form: FormValues }) {
    const { page, context } = await openPhone(browser, portal.origin)
    const walk = await walkJourney({ page, portal, ...applicant, pace: countingPace })
    await context.close()
    return walk.visits
  }
}

/** Bytes do not depend on the network, so the network is fast. */
async function countMonth({ browser, portal, certificate }: MonthSetup): Promise<void> {
  const slow = await openSlowPortal(portal, certificate, fastNetwork)
  try {
    const phone = await openPhone(browser, slow.origin)
    const visits = await visitForMonth({ ...phone, portal, slow, phone: phones.month })
    await phone.context.close()
    report('month', `Counted on ${dateInDays(0)}.\n\n${describeMonth(visits)}`)
  } finally {
    await slow.close()
  }
}

type MonthSetup = { browser: Browser; portal: Portal; certificate: Certificate }

type NetworkSetup = { part: NetworkPart; browser: Browser; portal: Portal; slow: SlowPortal }

async function measureNetwork({ part, browser, portal, slow }: NetworkSetup): Promise<void> {
  const network = part === 'worst' ? worstNetwork : slowNetwork
  const before = await measureOtherWork()
  const phone = await openPhone(browser, slow.origin)
  const page = part === 'warm' ? await openAgain(phone, { portal, slow }) : phone.page
  const cdp = await phone.context.newCDPSession(page)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown })
  const walk = await walkJourney({ page, portal, phone: phones[part], pace: briskPace })
  await waitUntilIdle(page, slow.proxy, { hasWorker: true })
  const tasks = [...walk.tasks, ...(await page.evaluate(takeLongTasks))]
  const recording = { steps: walk.steps, tasks, requests: [...slow.requests()], arrivals: slow.arrivals() }
  const receipt = await timeReceipt(walk, slow)
  await phone.context.close()
  const other = { before, after: await measureOtherWork() }
  const { decisionToPaidMs } = walk
  const text = describeNetworkRun({ recording, network, decisionToPaidMs, receipt })
  report(part, `${describeConditions(part, other)}\n\n${text}`, other)
}

/**
 * Goes the whole way on a fast network, shows the receipt and logs out. Returns a new page on the same phone, with the
 * slow network.
 */
async function openAgain(
  { page, context }: { page: Page; context: BrowserContext },
  { portal, slow: { proxy } }: { portal: Portal; slow: SlowPortal },
): Promise<Page> {
  proxy.changeNetwork(fastNetwork)
  const { applicant } = await walkJourney({ page, portal, phone: phones.before, pace: countingPace })
  await showReceipt(applicant)
  await waitUntilIdle(page, proxy, { hasWorker: true })
  await page.goto('/procedure')
  await page.getByRole('button', { name: applicant.t('button.logOut') }).click()
  await applicant.heading('welcome.heading')
  await page.close()
  proxy.changeNetwork(slowNetwork)
  return context.newPage()
}

async function openPhone(browser: Browser, origin: string) {
  const phone = await openWatchedPage(browser, { origin })
  phone.context.setDefaultTimeout(stepTimeoutMs)
  await phone.context.addInitScript(observeApplicant)
  await phone.context.addInitScript(receiveSmsCodes)
  return phone
}

function describeConditions(part: NetworkPart, { before, after }: OtherWork): string {
  const [first, last] = [before, after].map(share => `${Math.round(share * 100)} %`)
  return `Measured on ${dateInDays(0)}: ${conditions[part]}. Other programs used ${first} of ${cpus().length} processors before the run and ${last} after.`
}

/** `other`: the work of other programs before and after a run with times; undefined for a run without times. */
function report(part: PartName, text: string, other?: OtherWork): void {
  process.stdout.write(`\n## ${partHeadings[part]}\n\n${text}\n`)
  if (other === undefined || isQuiet(other)) writeParts(new Map([[part, text]]))
  else process.stdout.write('The machine was busy: docs/bench-journey.md keeps its older part.\n')
}
