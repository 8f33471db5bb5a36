import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { describe, it } from 'vitest'
import { createApplicant } from '#support/browsers/applicant.ts'
import { findChromium, launchChromium } from '#support/browsers/chromium.ts'
import { type Portal, startPortal } from '#support/servers/portal.ts'
import { runLighthouse } from './lighthouse.ts'
import { buildReactPage, staticPage, staticPageUnderWorker } from './reference-pages.ts'
import {
  type Certificate,
  type HttpsServer,
  makeCertificate,
  startHttpsServer,
  forwardTo,
  serveFiles,
} from './https-server.ts'
import { startSlowProxy } from './slow-proxy.ts'
import { type Figures, kib, markdown, medians, seconds, tenths } from './table.ts'
import { field, heapBytes, newPhone, slowPage, typeKeys, waitUntilIdle, visit } from './visit.ts'

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3)

type Contender = { name: string; path: string; server: HttpsServer; hasWorker: boolean }

/** Writes a report and asserts nothing: only an idle machine gives reliable times. */
describe('the portal and its reference pages, on one slow connection', () => {
  it('writes docs/bench.md', { timeout: 1_800_000 }, async () => {
    const certificate = makeCertificate()
    const portal = await startPortal()
    const browser = await chromium.launch({
      executablePath: findChromium(),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--disable-background-networking',
        `--ignore-certificate-errors-spki-list=${certificate.fingerprint}`,
      ],
    })
    try {
      const contenders = await openContenders(certificate, portal)
      const runs = new Map<string, Figures[]>(contenders.map(({ name }) => [name, []]))
      for (let round = 0; round < rounds; round += 1)
        for (const contender of contenders) {
          const figures = await measure(browser, contender)
          runs.get(contender.name)?.push(figures)
          process.stdout.write(`${round + 1}/${rounds} ${contender.name} ${JSON.stringify(figures)}\n`)
        }
      const typing = await measureForm(portal)
      const lighthouse = await runLighthouse(`${portal.origin}/mobile`)
      const found = new Map([...runs].map(([name, list]) => [name, medians(list)]))
      const report = describeAll(found, typing, lighthouse)
      process.stdout.write(`\n${report}\n`)
      const docs = fileURLToPath(new URL('../../docs/', import.meta.url))
      mkdirSync(docs, { recursive: true })
      writeFileSync(`${docs}bench.md`, report)
      for (const { server } of contenders) server.close()
    } finally {
      await browser.close()
      await portal.close()
    }
  })
})

const names = {
  page: 'static page, one field',
  worker: 'static page with a small service worker',
  react: 'React 19, one field',
  portal: 'the portal, /mobile',
} as const

async function openContenders(certificate: Certificate, portal: Portal): Promise<Contender[]> {
  return [
    {
      name: names.page,
      path: '/',
      server: await startHttpsServer(certificate, serveFiles(staticPage)),
      hasWorker: false,
    },
    {
      name: names.worker,
      path: '/',
      server: await startHttpsServer(certificate, serveFiles(staticPageUnderWorker)),
      hasWorker: true,
    },
    {
      name: names.react,
      path: '/',
      server: await startHttpsServer(certificate, serveFiles(await buildReactPage())),
      hasWorker: false,
    },
    {
      name: names.portal,
      path: '/mobile',
      server: await startHttpsServer(certificate, forwardTo(portal.origin)),
      hasWorker: true,
    },
  ]
}

async function measure(browser: Browser, { server, path, hasWorker }: Contender): Promise<Figures> {
  const proxy = await startSlowProxy(server.port)
  const context = await newPhone(browser)
  try {
    const address = `https://localhost:${proxy.port}${path}`
    const first = await slowPage(context)
    const cold = await visit(first.page, address, proxy)
    await waitUntilIdle(first.page, proxy, hasWorker)
    const bytesAtIdle = proxy.received()
    const heap = await heapBytes(first.cdp)
    await first.page.locator(field).focus()
    const typing = await typeKeys(first.page, first.cdp)
    await first.page.close()
    const second = await slowPage(context)
    const warm = await visit(second.page, address, proxy)
    await second.page.waitForTimeout(1_500)
    proxy.cut()
    const offline = hasWorker ? await visit(second.page, address, proxy) : undefined
    return {
      bytesToReady: cold.bytesToReady,
      scriptBytesBeforeReady: cold.scriptBytesBeforeReady,
      readyMs: cold.readyMs,
      hydratedMs: cold.hydratedMs,
      scriptBytesWhenHydrated: cold.scriptBytesWhenHydrated,
      bytesAtIdle,
      warmMs: warm.readyMs,
      offlineMs: offline?.readyMs,
      heapBytes: heap,
      ...typing,
    }
  } finally {
    await context.close()
    await proxy.close()
  }
}

/** Measures a text field of the form, which saves itself during typing. */
async function measureForm(portal: Portal) {
  const browser = await launchChromium()
  try {
    const context = await browser.newContext({
      baseURL: portal.origin,
      viewport: { width: 412, height: 823 },
    })
    const { page, cdp } = await slowPage(context)
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 })
    const applicant = createApplicant(page, portal, 'fr')
    await applicant.chooseLanguage()
    await applicant.signInByPhone('671999001')
    await applicant.startApplication()
    await applicant.named('travelDestination').focus()
    await page.waitForTimeout(4_000)
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    const typing = await typeKeys(page, cdp)
    return { ...typing, heapBytes: await heapBytes(cdp) }
  } finally {
    await browser.close()
  }
}

function describeAll(found: Map<string, Figures>, form: Figures, lighthouse: string): string {
  const page = found.get(names.page) ?? {}
  const worker = found.get(names.worker) ?? {}
  const react = found.get(names.react) ?? {}
  const portal = found.get(names.portal) ?? {}
  const rows = [...found].map(([name, each]) => [
    name,
    kib(each['bytesToReady']),
    seconds(each['readyMs']),
    seconds(each['hydratedMs']),
    kib(each['scriptBytesWhenHydrated']),
    kib(each['bytesAtIdle']),
    seconds(each['warmMs']),
    seconds(each['offlineMs']),
    tenths(each['cpuMsPerKey']),
    tenths(each['p95Ms']),
    kib(each['heapBytes']),
  ])
  rows.push([
    'the portal’s form, which saves during typing',
    ...Array.from({ length: 7 }, () => '–'),
    tenths(form['cpuMsPerKey']),
    tenths(form['p95Ms']),
    kib(form['heapBytes']),
  ])
  const limits = [
    ['script before the first accepted key, KiB', kib(portal['scriptBytesBeforeReady']), '0'],
    ['ready ÷ static page', ratio(portal['readyMs'], page['readyMs']), '≤ 1.3'],
    ['hydrated ÷ React page', ratio(portal['hydratedMs'], react['hydratedMs']), '≤ 1.6'],
    ['script when hydrated, KiB', kib(portal['scriptBytesWhenHydrated']), '≤ 430'],
    ['total transfer when idle, KiB', kib(portal['bytesAtIdle']), '≤ 195'],
    ['warm ÷ static page with a worker', ratio(portal['warmMs'], worker['warmMs']), '≤ 2.0'],
    ['offline ÷ static page with a worker', ratio(portal['offlineMs'], worker['offlineMs']), '≤ 2.5'],
    ['CPU for a key in the form ÷ static page', ratio(form['cpuMsPerKey'], page['cpuMsPerKey']), '≤ 1.6'],
    ['p95 of a key in the form, ms', tenths(form['p95Ms']), '≤ 50'],
  ]
  return `# Bench

\`npm run bench\`: HTTP/2 over TLS 1.3 with brotli, 400 kbit/s in each direction, round trip 400 ms, CPU ÷ 4, 412 × 823,
empty cache. Each figure is the median of ${rounds} rounds; bytes include headers and encryption. Ready: the first field
accepts and paints a real key, and still shows it 150 ms later. Hydrated: every control works. Compare times only as
ratios within one run. The machine: ${cpus().length} processors, load ${loadavg()[1]?.toFixed(1)} at the end of the run. With a load above the
number of processors, the times are too long and the medians unreliable.

${markdown(['page', 'KiB to ready', 'ready s', 'hydrated s', 'script when hydrated KiB', 'KiB when idle', 'warm s', 'offline s', 'CPU ms/key', 'p95 ms', 'heap KiB'], rows)}

${markdown(['figure', 'measured', 'limit'], limits)}

Lighthouse ${lighthouse}
`
}

function ratio(one: number | undefined, other: number | undefined): string {
  return one === undefined || !other ? '–' : (one / other).toFixed(2)
}
