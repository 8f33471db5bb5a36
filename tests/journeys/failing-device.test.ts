import { describe, expect, it } from 'vitest'
import { firstPassport } from '#support/data/applicants.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = joinBrowserFixture()

describe('a browser whose storage fails while the applicant fills in the form (D30)', () => {
  it.runIf(isFullRun)(
    'loses no answer when the database is deleted while the form is open, also after a reload',
    async () => {
      const { page, context, applicant } = await fixture.openSignedIn('fr', '671000101')
      await applicant.startApplication()
      await applicant.named('travelDestination').fill('Gabon')
      await applicant.waitForSavedAnswers()
      await page.evaluate(
        () =>
          new Promise<void>((resolve, reject) => {
            const request = indexedDB.deleteDatabase('portal')
            request.addEventListener('success', () => resolve())
            request.addEventListener('error', () => reject(request.error))
          }),
      )
      await applicant.named('reasonForTravel').fill('Famille')
      await applicant.waitForSavedAnswers()
      await page.reload()
      await applicant.heading('tab.GeneralData')
      await expect.poll(() => applicant.named('reasonForTravel').inputValue()).toBe('Famille')
      expect(await applicant.named('travelDestination').inputValue()).toBe('Gabon')
      await context.close()
    },
  )

  it.runIf(isFullRun)(
    'saves unsent answers again when the applicant clears the databases of the site, without another key press',
    async () => {
      const { page, context, applicant } = await fixture.openSignedIn('fr', '671000108')
      await applicant.startApplication()
      await page.route('**/applications/*/data**', (route, request) =>
        request.method() === 'POST' ? route.abort() : route.continue(),
      )
      await applicant.named('travelDestination').fill('Gabon')
      await page.getByText(applicant.t('form.waiting')).waitFor()
      const { origin } = new URL(page.url())
      const browser = await context.newCDPSession(page)
      await browser.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' })
      await expect.poll(() => page.evaluate(countDrafts)).toBe(1)
      await page.reload()
      await expect.poll(() => applicant.named('travelDestination').inputValue()).toBe('Gabon')
      await context.close()
    },
  )

  it.runIf(isFullRun)(
    'opens the database again when its connection is lost, and saves the answer',
    async () => {
      const { page, context, applicant } = await fixture.openWelcome('fr')
      await page.addInitScript(failTransactions)
      await page.goto('/')
      await applicant.signInByPhone('671000102')
      await applicant.startApplication()
      await applicant.named('travelDestination').fill('Gabon')
      await page.getByText(applicant.t('form.kept')).waitFor()
      await page.evaluate(() => Object.assign(window, { failuresLeft: 1 }))
      await applicant.named('reasonForTravel').fill('Famille')
      await expect.poll(() => page.evaluate(() => Reflect.get(window, 'failuresLeft'))).toBe(0)
      await page.getByText(applicant.t('form.kept')).waitFor()
      await page.reload()
      await expect.poll(() => applicant.named('reasonForTravel').inputValue()).toBe('Famille')
      await context.close()
    },
  )

  it('says that the storage is full, and sends the answers to the server', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr')
    await page.addInitScript(refusePuts)
    await page.goto('/')
    await applicant.signInByPhone('671000103')
    await applicant.startApplication()
    await page.evaluate(() => Object.assign(window, { diskIsFull: true }))
    await applicant.named('travelDestination').fill('Gabon')
    await page.getByText(applicant.t('form.whyFull')).waitFor()
    await page.getByText(applicant.t('form.notKeptRescue')).waitFor()
    const sent = page.waitForResponse(
      answer =>
        answer.request().method() === 'POST' && (answer.request().postData() ?? '').includes('Famille'),
    )
    await applicant.named('reasonForTravel').fill('Famille')
    const address = page.url()
    await page.goBack()
    await applicant.heading('procedure.heading')
    await page.goForward()
    await expect.poll(() => applicant.named('reasonForTravel').inputValue()).toBe('Famille')
    await sent
    await context.close()

    const other = await fixture.openWelcome('fr')
    await other.applicant.signInByPhone('671000103')
    await other.page.goto(address)
    await expect.poll(() => other.applicant.named('reasonForTravel').inputValue()).toBe('Famille')
    expect(await other.applicant.named('travelDestination').inputValue()).toBe('Gabon')
    await other.context.close()
  })

  it.runIf(isFullRun)('asks before a reload that would lose answers, until the server has them', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr')
    await page.addInitScript(refusePuts)
    await page.goto('/')
    await applicant.signInByPhone('671000106')
    await applicant.startApplication()
    await page.evaluate(() => Object.assign(window, { diskIsFull: true, isSamePage: true }))
    await page.route('**/api/**', route => route.abort())
    await applicant.named('travelDestination').fill('Gabon')
    await page.getByText(applicant.t('form.notKeptRescue')).waitFor()

    const questions: string[] = []
    page.on('dialog', dialog => {
      questions.push(dialog.type())
      void dialog.dismiss()
    })
    // In a later task, because a reload would end the call that starts it.
    await page.evaluate(() => void setTimeout(() => location.reload()))
    await expect.poll(() => questions).toEqual(['beforeunload'])
    expect(await page.evaluate(() => Reflect.get(window, 'isSamePage'))).toBe(true)

    await page.unrouteAll()
    const sent = page.waitForResponse(
      answer => answer.request().method() === 'POST' && (answer.request().postData() ?? '').includes('Gabon'),
    )
    await applicant.named('reasonForTravel').fill('Famille')
    await sent
    await expect.poll(() => page.evaluate(mayUnload)).toBe(true)
    await context.close()
  })

  it.runIf(isFullRun)(
    'shows the form although the database never opens, and says why it cannot save',
    async () => {
      const { page, context, applicant } = await fixture.openWelcome('fr')
      await page.addInitScript(() => {
        IDBFactory.prototype.open = () => new EventTarget() as IDBOpenDBRequest
      })
      await page.goto('/')
      await applicant.signInByPhone('671000104')
      await applicant.startApplication()
      await applicant.named('travelDestination').fill('Gabon')
      await page.getByText(applicant.t('form.whyHangs')).waitFor()
      expect(await applicant.named('travelDestination').inputValue()).toBe('Gabon')
      await context.close()
    },
  )
})

describe('the offer to install (OFF01)', () => {
  it.runIf(isFullRun)(
    'appears once a form is confirmed, and stays away, also after a reload, when the applicant has declined the prompt of the browser',
    async () => {
      const { page, context, applicant } = await fixture.openWelcome('fr')
      await page.addInitScript(() => {
        addEventListener('load', () => {
          const question = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), {
            prompt: async () => ({ outcome: 'dismissed' }),
          })
          dispatchEvent(question)
        })
      })
      await page.goto('/')
      await applicant.signInByPhone('671000105')
      const offer = page.getByRole('heading', { name: applicant.t('install.heading') })
      await page.getByRole('button', { name: applicant.t('procedure.new') }).waitFor()
      expect(await offer.count()).toBe(0)
      await applicant.startApplication()
      await applicant.fillForm({ ...firstPassport, phoneNumber: '671000105' })
      expect(await offer.count()).toBe(0)
      await applicant.confirmData()
      await page.goto('/procedure')
      await offer.waitFor()
      await page.getByRole('button', { name: applicant.t('install.now') }).click()
      await offer.waitFor({ state: 'detached' })
      await page.reload()
      await applicant.heading('procedure.heading')
      await page.getByRole('link', { name: applicant.t('procedure.open.payment') }).waitFor()
      expect(await offer.count()).toBe(0)
      await context.close()
    },
  )
})

/** Runs in the page. */
function mayUnload(): boolean {
  return dispatchEvent(new Event('beforeunload', { cancelable: true }))
}

/** Runs in the page: the next `failuresLeft` transactions fail as on iOS after it has closed the database. */
function failTransactions() {
  const begin = Object.getOwnPropertyDescriptor(IDBDatabase.prototype, 'transaction')?.value
  IDBDatabase.prototype.transaction = function transaction(...args) {
    const left = Number(Reflect.get(window, 'failuresLeft') ?? 0)
    if (left > 0) {
      Object.assign(window, { failuresLeft: left - 1 })
      throw new DOMException('Connection to Indexed Database server lost.', 'UnknownError')
    }
    return Reflect.apply(begin, this, args)
  }
}

/** Runs in the page: while `diskIsFull` is set, every `put` fails as on a full disk. */
function refusePuts() {
  const put = Object.getOwnPropertyDescriptor(IDBObjectStore.prototype, 'put')?.value
  IDBObjectStore.prototype.put = function refuse(...args) {
    if (Reflect.get(window, 'diskIsFull')) throw new DOMException('No room.', 'QuotaExceededError')
    return Reflect.apply(put, this, args)
  }
}

/** Runs in the page: the number of drafts on the device; 0 without the database. */
async function countDrafts(): Promise<number> {
  const databases = await indexedDB.databases()
  if (!databases.some(({ name }) => name === 'portal')) return 0
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open('portal')
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('The database does not open')))
  })
  try {
    if (!database.objectStoreNames.contains('drafts')) return 0
    return await new Promise<number>((resolve, reject) => {
      const request = database.transaction('drafts').objectStore('drafts').count()
      request.addEventListener('success', () => resolve(request.result))
      request.addEventListener('error', () =>
        reject(request.error ?? new Error('The drafts cannot be counted')),
      )
    })
  } finally {
    database.close()
  }
}
