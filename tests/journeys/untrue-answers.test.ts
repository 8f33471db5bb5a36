import type { APIResponse, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Applicant } from '#support/browsers/applicant.ts'
import { startFaultyBrowserFixture } from '#support/browsers/faulty-browser-fixture.ts'
import { type FaultKind, foreignAnswers, type ProxiedRequest } from '#support/browsers/network-proxy.ts'
import { until } from '#support/servers/portal.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = startFaultyBrowserFixture()

const daily: FaultKind[] = ['foreign-200-json', 'truncate', 'wrong-mark']
const kinds = isFullRun ? [...new Set([...daily, 'duplicate' as const, ...foreignAnswers])] : daily

it('never says "on the server" too early when a proxy answers or breaks a save, and sends the answers without a further key press (D60, D61, OFF10)', async () => {
  const { page, context, applicant } = await fixture.openApplicant('fr')
  await applicant.signInByPhone('671310001')
  await applicant.startApplication()
  const findUntrueMoments = await watchStatus(page, applicant)
  for (const [index, kind] of kinds.entries()) {
    const typed = `Essai ${index}`
    fixture.proxy().arm(kind, isSave)
    await applicant.named('travelDestination').fill(typed)
    await until(`the fault ${kind}`, async () => fixture.proxy().hasStruck() || undefined)
    await until(`the answer on the server after ${kind}`, async () =>
      (await storedDestination()) === typed && (await saysOnServer(page, applicant)) ? true : undefined,
    )
    expect((await findUntrueMoments()).join('\n'), kind).toBe('')
  }
  await context.close()
})

it.runIf(isFullRun)(
  'does not take an old response that a proxy repeats as a proof, when the applicant types the old text again (D61)',
  async () => {
    const { page, context, applicant } = await fixture.openApplicant('fr')
    await applicant.signInByPhone('671310002')
    await applicant.startApplication()
    const findUntrueMoments = await watchStatus(page, applicant)
    const saved: APIResponse[] = []
    await page.route('**/api/v1/applications/*/data', async route => {
      if (route.request().method() !== 'POST') return route.fallback()
      const [first] = saved
      if (saved.length === 2 && first) {
        saved.push(first)
        return route.fulfill({ response: first })
      }
      const response = await route.fetch()
      saved.push(response)
      return route.fulfill({ response })
    })
    for (const typed of ['Paris', 'Lagos', 'Paris']) {
      await applicant.named('travelDestination').fill(typed)
      await until(`"${typed}" on the server`, async () =>
        (await storedDestination()) === typed && (await saysOnServer(page, applicant)) ? true : undefined,
      )
      expect((await findUntrueMoments()).join('\n'), typed).toBe('')
    }
    await context.close()
  },
)

it.runIf(isFullRun)(
  'sends the answers although a router has answered the first /version of the device (D60)',
  async () => {
    const { page, context, applicant } = await fixture.openApplicant('fr', opened =>
      opened.route('**/api/v1/version', route => route.fulfill({ json: { version: '2.1' } })),
    )
    await page.unroute('**/api/v1/version')
    await applicant.signInByPhone('671310003')
    await applicant.startApplication()
    await applicant.named('travelDestination').fill('Paris')
    await page.getByRole('main').getByText(applicant.t('form.onServer')).first().waitFor()
    await context.close()
  },
)

/**
 * Compares the field with the server each time that the page begins to say "on the server", and each time that it still
 * says so in the first frame after a change of the field. The returned function waits for these comparisons and returns
 * those that differ. Call it before the next answer is typed, because the server then has that answer.
 */
async function watchStatus(page: Page, applicant: Applicant): Promise<() => Promise<string[]>> {
  const moments: Promise<string[]>[] = []
  await page.exposeFunction('reportSaid', (shown: string) => void moments.push(compareWithServer(shown)))
  await page.evaluate(text => {
    const isSaid = () => document.querySelector('main')?.textContent.includes(text) === true
    function report() {
      const field = document.querySelector<HTMLInputElement>('[name="travelDestination"]')
      if (isSaid() && 'reportSaid' in window && typeof window.reportSaid === 'function')
        void window.reportSaid(field?.value)
    }
    let wasSaid = false
    new MutationObserver(() => {
      if (!wasSaid) report()
      wasSaid = isSaid()
    }).observe(document.body, { childList: true, characterData: true, subtree: true })
    document.addEventListener('input', () => requestAnimationFrame(report))
  }, applicant.t('form.onServer'))
  return async () => (await Promise.all(moments)).flat()
}

async function compareWithServer(shown: string): Promise<string[]> {
  const stored = await storedDestination()
  return stored === shown ? [] : [`The page shows "${shown}", the server has "${stored}"`]
}

async function saysOnServer(page: Page, applicant: Applicant): Promise<boolean> {
  return page.getByRole('main').getByText(applicant.t('form.onServer')).first().isVisible()
}

/** Asks the server directly, not through the proxy. */
async function storedDestination(): Promise<string> {
  const requests = fixture.proxy().requests()
  const authorization = requests.findLast(each => each.authorization)?.authorization ?? ''
  const id = requests.findLast(isSave)?.path.split('/')[4]
  const response = await fetch(`${fixture.portal().origin}/api/v1/applications/${id}/data`, {
    headers: { authorization },
  })
  const { data } = (await response.json()) as { data?: { travelDestination: string } } // only the field that the test reads
  return data?.travelDestination ?? ''
}

function isSave({ method, path }: ProxiedRequest): boolean {
  return method === 'POST' && /^\/api\/v1\/applications\/[\w-]+\/data$/.test(path)
}
