import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { FormValues } from '#contract/application.ts'
import type { Applicant } from '#support/browsers/applicant.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { type FaultKind, networkFaults, type ProxiedRequest } from '#support/browsers/network-proxy.ts'
import { startFaultyBrowserFixture } from '#support/browsers/faulty-browser-fixture.ts'
import { isFullRun } from '#support/test-tier.ts'
import { until } from '#support/servers/portal.ts'

// The client waits at most 30 s for a response.
const fixture = startFaultyBrowserFixture({ hangMs: 30_000 })

const dailyFaults: readonly FaultKind[] = ['reset-before', 'cut', 'captive-200']
const atSubmission = isFullRun ? networkFaults : dailyFaults

let applicantCount = 0

describe('network faults, one after the other', () => {
  it('lose none of six answers; each submission has one effect and needs at most one more action (OFF10, D13, D34)', async () => {
    const { context, applicant } = await signIn()
    // A creation must not run twice, so its fault comes after the server has acted.
    const atCreation: FaultKind = 'reset-after'
    fixture.proxy().arm(atCreation, isCreation)
    await pressAtMostTwice(
      () => start(applicant),
      () => isAt(applicant, 'GeneralData'),
    )
    await applicant.fillTabs(firstPassport)
    for (const kind of atSubmission.filter(each => each !== atCreation)) {
      fixture.proxy().clearRequests()
      fixture.proxy().arm(kind, isSubmission)
      await pressAtMostTwice(
        () => submit(applicant),
        () => isAt(applicant, 'confirm'),
        // After this time `pressAtMostTwice` looks for the button again. A request that hangs ends later.
        kind === 'hang' ? 5_000 : 2_000,
      )
      expect(fixture.proxy().hasStruck(), kind).toBe(true)
      expect(duplicateRequests(fixture.proxy().requests()), kind).toEqual([])
      await expectOnServer(firstPassport)
      await goBackToForm(applicant)
    }
    await context.close()
  })
})

/** The other foreign answers are tried at a save in untrue-answers.test.ts. */
const foreignSample: FaultKind[] = [
  'foreign-200-empty',
  'foreign-200-json',
  'foreign-404-empty',
  'foreign-503-html',
]

/**
 * The lists of departments and of localities are absent: usually these requests do not reach the proxy, because the service
 * worker answers them from the list of all places at home.
 */
const requests: [string, (request: ProxiedRequest) => boolean][] = [
  ['starting the application', isCreation],
  ['the list of applications', isGet(/\/applications\?/)],
  ['the stored form', isGet(/\/applications\/[\w-]+\/data$/)],
  ['the countries', isGet(/\/applications\/countries/)],
  ['the occupations', isGet(/\/dictionary\/professions/)],
  ['the regions', isGet(/\/dictionary\/regions/)],
  ['all places at home', isGet(/\/dictionary\/home-places/)],
  ['the version', isGet(/\/version/)],
  ['a draft', request => isSave(request) && !isSubmission(request)],
  ['the submission', isSubmission],
]

describe.runIf(isFullRun)('every fault at every request of the form', () => {
  describe.each(requests)('%s', (_, fits) => {
    it.each([...networkFaults, ...foreignSample])('recovers from %s', async kind => {
      // Longer than the timeout of the client when the proxy sends no response.
      const pressTimeoutMs = kind === 'hang' ? 45_000 : 6_000
      const { page, context, applicant } = await signIn()
      page.setDefaultTimeout(30_000 + pressTimeoutMs)
      fixture.proxy().clearRequests()
      fixture.proxy().arm(kind, fits)
      await pressAtMostTwice(
        () => start(applicant),
        () => isAt(applicant, 'GeneralData'),
        pressTimeoutMs,
      )
      await pressAtMostTwice(
        () => retry(applicant),
        () => isOpen(page),
        pressTimeoutMs,
      )
      await applicant.fillTabs(firstPassport)
      // A draft is sent after a pause in typing.
      if (fits !== isSubmission)
        await until('the fault', async () => fixture.proxy().hasStruck() || undefined)
      await pressAtMostTwice(
        () => submit(applicant),
        () => isAt(applicant, 'confirm'),
        pressTimeoutMs,
      )
      await expectOnServer(firstPassport)
      expect(fixture.proxy().hasStruck()).toBe(true)
      await context.close()
    })
  })
})

async function signIn() {
  const opened = await fixture.openApplicant('fr')
  applicantCount += 1
  await opened.applicant.signInByPhone(`6712${String(10_000 + applicantCount)}`)
  return opened
}

/**
 * Presses the button; if the next page does not open, presses it again when the page is online and offers it. `press`
 * resolves to whether it could press.
 */
async function pressAtMostTwice(
  press: () => Promise<boolean>,
  isDone: () => Promise<boolean>,
  timeoutMs = 3_000,
) {
  await until('the button', async () => (await press()) || undefined)
  if (await becomesTrue(isDone, timeoutMs)) return
  // A slow page may still be busy with the first press, and then lead on.
  await until('the next page or the button', async () => (await isDone()) || (await press()) || undefined)
  expect(await becomesTrue(isDone, 60_000), 'one more action to lead on').toBe(true)
}

async function becomesTrue(isDone: () => Promise<boolean>, timeoutMs: number): Promise<boolean> {
  for (const startMs = performance.now(); performance.now() - startMs < timeoutMs;) {
    if (await isDone()) return true
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  return false
}

/** If the server had acted before the fault, the application is in the list. */
async function start(applicant: Applicant): Promise<boolean> {
  await connectionIsBack(applicant)
  const card = applicant.page
    .getByRole('main')
    .getByRole('link', { name: applicant.t('procedure.open.form') })
  return pressNow(applicant.button('procedure.new').or(card))
}

async function submit(applicant: Applicant): Promise<boolean> {
  await connectionIsBack(applicant)
  return pressNow(applicant.button('button.submit'))
}

/** Retries when the form could not be loaded. */
async function retry(applicant: Applicant): Promise<boolean> {
  await pressNow(applicant.button('button.retry'))
  return true
}

/**
 * Presses the first of these controls that is not busy, and resolves to whether there was one. In one step: the next page,
 * which has no such control to wait for, may open at any moment.
 */
function pressNow(controls: Locator): Promise<boolean> {
  return controls.evaluateAll(found => {
    const [ready] = found.filter(each => each.getAttribute('aria-disabled') !== 'true')
    if (ready instanceof HTMLElement) ready.click()
    return ready !== undefined
  })
}

/** Waits, as an applicant does, until the page no longer says that it is offline. */
async function connectionIsBack({ page, t }: Applicant) {
  await page.getByRole('main').waitFor()
  const banner = page.locator('[role="status"], output', {
    hasText: new RegExp([t('notice.offline'), t('notice.unreachable'), t('notice.foreign')].join('|')),
  })
  await until('the page to be online', async () => ((await banner.count()) === 0 ? true : undefined))
}

async function isAt({ page }: Applicant, address: string): Promise<boolean> {
  return new URL(page.url()).pathname.includes(address)
}

async function isOpen(page: Page): Promise<boolean> {
  return page.locator('[name="reason"]').isVisible()
}

async function goBackToForm(applicant: Applicant) {
  await applicant.heading('confirm.heading')
  await applicant.button('button.changeData').click()
  await until('the form to open', async () => ((await isAt(applicant, '/form/')) ? true : undefined))
  const { page } = applicant
  await page.goto(page.url().replace(/\/form\/([^/]+)\/([^/]+).*/, '/form/$1/$2/NicData'))
  await applicant.heading('tab.NicData')
  await expect.poll(() => applicant.named('nicNumber').inputValue()).toBe(firstPassport.nicNumber)
}

/**
 * Expects one application with the typed answers of six fields, at least one of each tab. Asks the server directly, not
 * through the proxy.
 */
async function expectOnServer(form: FormValues) {
  const [application, ...others] = await ask<{ id: string }[]>('/applications')
  expect(others).toEqual([])
  const stored = await ask<Record<string, unknown>>(`/applications/${application?.id}/data`)
  for (const name of [
    'travelDestination',
    'surname',
    'givenName',
    'localityId',
    'motherSurname',
    'nicNumber',
  ] as const)
    expect(stored[name], name).toBe(form[name])
}

/** Submissions of the same answers under more than one key, which the server could store as two (D13). */
function duplicateRequests(heard: ProxiedRequest[]): string[] {
  const keys = new Map<string, Set<string | undefined>>()
  for (const { body, key } of heard.filter(isSubmission))
    keys.set(body, (keys.get(body) ?? new Set()).add(key))
  return [...keys].filter(([, used]) => used.size > 1).map(([body]) => body)
}

async function ask<Answer>(path: string): Promise<Answer> {
  const authorization =
    fixture
      .proxy()
      .requests()
      .findLast(each => each.authorization)?.authorization ?? ''
  const response = await fetch(`${fixture.portal().origin}/api/v1${path}`, { headers: { authorization } })
  const { data } = (await response.json()) as { data: Answer } // only the fields that the test reads
  return data
}

function isCreation({ method, path }: ProxiedRequest): boolean {
  return method === 'POST' && path === '/api/v1/applications'
}

function isSave({ method, path }: ProxiedRequest): boolean {
  return method === 'POST' && /^\/api\/v1\/applications\/[\w-]+\/data$/.test(path)
}

function isSubmission(request: ProxiedRequest): boolean {
  return isSave(request) && !/"draft":true/.test(request.body)
}

function isGet(path: RegExp): (request: ProxiedRequest) => boolean {
  return request => request.method === 'GET' && path.test(request.path)
}
