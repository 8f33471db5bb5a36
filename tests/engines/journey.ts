import { firstPassport } from '#support/data/applicants.ts'
import { monthKey } from '#support/data/month-key.ts'
import { type Portal, until } from '#support/servers/portal.ts'
import { buttonName, type Key, textsOf } from '#support/data/texts.ts'
import type { EngineBrowser } from './engine-page.ts'
import type { TlsProxy } from './tls-proxy.ts'
import { createVisitor, type Visitor } from './visitor.ts'

type Parts = {
  browser: EngineBrowser
  portal: Portal
  /** The address that the applicant opens: the portal's own, or the proxy's. */
  origin: string
  proxy: TlsProxy
  /** The subscriber's part of a Cameroonian number that no other test uses. */
  phone: string
}

type Step = { name: string; run: () => Promise<void> }

export type Journey = {
  /** All steps in order; each step needs the steps before it. */
  whole: Step[]
  /** Only sign-in, one tab, kill and reload. */
  short: Step[]
  /** Only sign-in and one tab. No step of these cuts the network. */
  shortest: Step[]
  visitor: () => Visitor
}

const form = firstPassport
const t = textsOf('fr')

/** The journey of one applicant in one engine. */
export function createJourney(parts: Parts): Journey {
  let current: Visitor | undefined
  const visitor = () => {
    if (!current) throw new Error('the browser is not started')
    return current
  }
  const startBrowser = async () => {
    current = createVisitor(await parts.browser.start())
  }
  const offlineSteps = createOfflineSteps({ ...parts, visitor, startBrowser })

  const shortest = [
    { name: 'sign in', run: () => openAndSignIn({ ...parts, visitor, startBrowser }) },
    { name: 'first tab', run: () => fillFirstTab(visitor()) },
  ]
  const short = [
    ...shortest,
    { name: 'draft after SIGKILL', run: () => offlineSteps.killWithDraft() },
    { name: 'form reloaded offline', run: () => offlineSteps.reloadForm() },
  ]
  const whole = [
    ...short,
    { name: 'form confirmed', run: () => confirmForm(visitor()) },
    { name: 'paid', run: () => pay(visitor()) },
    { name: 'booked', run: () => book(visitor()) },
    { name: 'receipt shown', run: () => openReceipt(visitor()) },
    { name: 'receipt reloaded offline', run: () => offlineSteps.reloadReceipt() },
  ]
  return { whole, short, shortest, visitor }
}

type StepParts = Parts & { visitor: () => Visitor; startBrowser: () => Promise<void> }

async function openAndSignIn({ portal, origin, phone, visitor, startBrowser }: StepParts) {
  await startBrowser()
  await visitor().page.open(origin)
  await visitor().press('button', 'FR')
  await signInByPhone(visitor(), { portal, phone })
}

/** The steps during which the network is cut. */
function createOfflineSteps({ browser, portal, proxy, phone, visitor, startBrowser }: StepParts) {
  async function whileOffline(run: () => Promise<void>) {
    await proxy.cut()
    try {
      await run()
    } finally {
      await proxy.restore()
    }
  }

  return {
    /** Types while offline and kills the browser before the network is back, so that only this device has the text. */
    async killWithDraft() {
      const address = await visitor().page.url()
      await proxy.cut()
      await visitor().write({ name: 'surname' }, form.surname)
      await visitor().sees(t('form.kept'))
      await browser.kill()
      await proxy.restore()
      await startBrowser()
      await visitor().page.open(address)
      await signInIfAsked(visitor(), { portal, phone, address })
      await expectValue(visitor(), 'surname', form.surname)
    },
    async reloadForm() {
      await waitUntilCached(visitor(), ['form'])
      await whileOffline(async () => {
        await visitor().page.reload()
        await visitor().heading(t('tab.PersonData'))
        await expectValue(visitor(), 'surname', form.surname)
      })
    },
    async reloadReceipt() {
      await waitUntilCached(visitor(), ['later', 'pdf-drawing', 'pdf.worker'])
      await whileOffline(async () => {
        await visitor().page.reload()
        await visitor().heading(t('final.heading'))
        await openReceipt(visitor())
      })
    },
  }
}

async function fillFirstTab(visitor: Visitor) {
  await visitor.press('button', buttonName(t, 'procedure.new'))
  await visitor.heading(t('tab.GeneralData'))
  await fillGeneral(visitor)
  await openNextTab(visitor, 'tab.PersonData')
}

async function confirmForm(visitor: Visitor) {
  await fillRest(visitor)
  await visitor.press('button', t('button.submit'))
  await visitor.heading(t('confirm.heading'))
  await visitor.press('button', t('button.confirm'))
  await visitor.heading(t('payment.heading'))
}

type Contact = { portal: Portal; phone: string }

export async function signInByPhone(visitor: Visitor, { portal, phone }: Contact) {
  await visitor.press('link', t('welcome.phone'))
  await visitor.heading(t('mobile.heading'))
  await visitor.write({ name: 'phoneNumber' }, phone)
  await visitor.press('button', t('button.continue'))
  await visitor.heading(t('password.heading'))
  await visitor.write({ name: t('password.code') }, await portal.codeFor(`237${phone}`))
  await visitor.press('button', t('button.continue'))
  await visitor.heading(t('procedure.heading'))
}

/** A killed browser may have lost the latest cookies, which browsers write with a delay of up to 30 s. */
async function signInIfAsked(visitor: Visitor, { address, ...contact }: Contact & { address: string }) {
  const shown = await until('the form or the welcome page', async () => {
    if (await visitor.has({ role: 'heading', name: t('tab.PersonData') })) return 'form'
    return (await visitor.has({ role: 'link', name: t('welcome.phone') })) ? 'welcome page' : undefined
  })
  if (shown === 'form') return
  await signInByPhone(visitor, contact)
  await visitor.page.open(address)
  await visitor.heading(t('tab.PersonData'))
}

async function expectValue(visitor: Visitor, name: string, wanted: string) {
  await until(`"${wanted}" in the field ${name}`, async () =>
    (await visitor.value(name)) === wanted ? true : undefined,
  )
}

/** Waits until the service worker controls the page and has cached these chunks of the build. */
async function waitUntilCached(visitor: Visitor, chunks: string[]) {
  const areCached = `(async () => {
    if (!navigator.serviceWorker.controller) return false
    const files = []
    for (const name of await caches.keys())
      for (const { url } of await (await caches.open(name)).keys()) files.push(url)
    return ${JSON.stringify(chunks)}.every(chunk => files.some(url => url.includes('/assets/' + chunk + '-')))
  })()`
  await until(`the service worker to cache ${chunks.join()}`, async () =>
    (await visitor.page.evaluate(areCached).catch(() => false)) === true ? true : undefined,
  )
}

async function openNextTab(visitor: Visitor, next: Key) {
  await visitor.press('button', t('button.continue'))
  await visitor.heading(t(next))
}

async function fillGeneral(visitor: Visitor) {
  await visitor.choose({ name: 'reason' }, { value: form.reason })
  await visitor.write({ name: 'travelDestination' }, form.travelDestination)
  await visitor.write({ name: 'reasonForTravel' }, form.reasonForTravel)
}

async function fillRest(visitor: Visitor) {
  await fillPerson(visitor)
  await openNextTab(visitor, 'tab.ParentData')
  for (const name of ['motherSurname', 'motherGivenName', 'fatherSurname'] as const)
    await visitor.write({ name }, form[name])
  await visitor.tick('radio', { group: t('field.addReprData'), name: t('answer.NO') })
  await openNextTab(visitor, 'tab.NicData')
  await visitor.tick('radio', { group: t('field.selectNic'), name: t(`nic.${form.selectNic}` as Key) })
  await visitor.write({ name: 'nicNumber' }, form.nicNumber)
  await fillDate(visitor, 'field.nicDateOfIssuance', form.nicDateOfIssuance)
  await fillDate(visitor, 'field.nicDateOfExpiry', form.nicDateOfExpiry)
  await visitor.write({ name: 'nicPlaceOfIssuance' }, form.nicPlaceOfIssuance)
}

async function fillPerson(visitor: Visitor) {
  await visitor.write({ name: 'givenName' }, form.givenName)
  await visitor.tick('radio', { group: t('field.gender'), name: t(`gender.${form.gender}` as Key) })
  await fillDate(visitor, 'field.dateOfBirth', `${form.yearOfBirth}-${form.monthOfBirth}-${form.dayOfBirth}`)
  for (const name of ['regionCode', 'departmentCode', 'localityId', 'occupation'] as const)
    await visitor.choose({ name }, { value: form[name] })
  for (const name of ['resAddressRegionCode', 'resAddressDepartmentCode', 'resAddressLocalityId'] as const)
    await visitor.choose({ name }, { value: form[name] })
  await visitor.write({ name: 'resAddressStreet' }, form.resAddressStreet)
}

async function fillDate(visitor: Visitor, field: Key, date: string) {
  const [year = '', month = '', day = ''] = date.split('-')
  const group = t(field)
  await visitor.write({ group, name: t('date.day') }, day)
  await visitor.choose({ group, name: t('date.month') }, { label: t(monthKey(month)) })
  await visitor.write({ group, name: t('date.year') }, year)
}

async function pay(visitor: Visitor) {
  await visitor.tick('radio', { name: t('method.MOCK') })
  await visitor.press('button', t('button.pay'))
  await visitor.heading(t('payResult.heading'))
  await visitor.sees(t('status.SUCCESS'))
  const name = t('button.continueToAppointment')
  await visitor.press((await visitor.has({ role: 'link', name })) ? 'link' : 'button', name)
  await visitor.heading(t('appointment.heading'))
}

async function book(visitor: Visitor) {
  await visitor.choose({ name: 'country' }, { value: '10998' })
  await visitor.choose({ name: 'city' }, { label: 'Yaoundé' })
  await visitor.choose({ name: 'officeId' }, { index: 1 })
  await waitForOfferedTime(visitor)
  await visitor.choose({ name: 'date' }, { index: 6 })
  await waitForOfferedTime(visitor)
  await visitor.press('button', t('button.confirm'))
  await visitor.heading(t('schedule.heading'))
  await visitor.press('button', t('button.finalize'))
  await visitor.heading(t('final.heading'))
}

async function waitForOfferedTime(visitor: Visitor) {
  await until('an offered time', async () => ((await visitor.value('time')) === '' ? undefined : true))
}

async function openReceipt(visitor: Visitor) {
  await visitor.press('button', t('button.showReceipt'))
  await visitor.press('button', t('final.showPages'))
  await visitor.seesReceipt()
}
