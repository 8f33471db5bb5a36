// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { emptyForm, fieldsOfTab, toWire } from '#contract/application.ts'
import { deviceUseStorageKey } from '#contract/codes.ts'
import { doNothing } from '#device/do-nothing.ts'
import { afterMoved } from '#sync/draft-reducer.ts'
import { newDraft } from '#store/draft.ts'
import { firstPassport, minorWithRepresentative } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type PortalOptions, type Portal } from '#support/fixtures/open-portal.tsx'
import { holdAnswer } from '#support/providers/fake-fetch.ts'
import { createWaitingLocks } from '#support/providers/waiting-locks.ts'
import { settle } from '#support/settle.ts'

const t = textsOf('fr')
const required = t('issue.required')
let portal: Portal

afterEach(async () => {
  vi.restoreAllMocks()
  await portal.close()
})

async function open(tab: string, opening: Partial<PortalOptions> = {}) {
  portal = await openPortal({ path: `/form/app-1/PP-1/${tab}`, ...opening })
  await portal.see(() => expect(portal.main().querySelector('form [name]')).not.toBeNull())
}

/** The server has a complete form. */
const complete = { data: { ...toWire(firstPassport), additionalData: 'kept' } }

/** The server refuses every form because of this field. */
function serverRefusing(field: string): NonNullable<PortalOptions['answer']> {
  const refusal = { status: 422, json: { statusCode: 422, errors: [{ field, message: 'not-in-list' }] } }
  return ({ method }) => (method === 'POST' ? refusal : undefined)
}

function refusedAt(part: string, status: number): NonNullable<PortalOptions['answer']> {
  return ({ url }) => (url.includes(part) ? { status, json: { statusCode: status } } : undefined)
}

/** Advances the fake clock by the debounce of the validation. */
async function waitForDebounce() {
  // Let the handlers of earlier events run first.
  await new Promise(resolve => setTimeout(resolve))
  await portal.device.advance(250)
}

/**
 * Advances the clock once past the 30 s after which the page opens the storage again. A wait that repeated steps of this
 * length would reach the refresh of the token, which the fake server refuses, before a busy machine has opened the storage.
 */
async function passStoragePause() {
  await portal.device.advance(31_000)
}

function tabMarks() {
  return [...portal.main().querySelectorAll(`nav a`)].map(link => link.textContent)
}

function summaryLinks() {
  return [...portal.main().querySelectorAll('[role="alert"] a')].map(link => link.textContent)
}

describe('FormTabs', () => {
  it('shows the tabs in their order, each as required while it has an issue (FRM01 FRM05)', async () => {
    await open('GeneralData')
    expect(tabMarks()).toEqual([
      '1Général, à compléter',
      '2Personne, à compléter',
      '3Parents, à compléter',
      '4Documents, à compléter',
    ])
    expect(portal.main().querySelector('[aria-current="step"]')?.textContent).toContain('Général')
  })

  it('shows a tab as valid after its last answer (FRM04)', async () => {
    await open('GeneralData')
    portal.type('travelDestination', 'France')
    portal.type('reasonForTravel', 'Études')
    await waitForDebounce()
    await portal.see(() => expect(tabMarks()[0]).toBe('Général, valide'))
  })

  it('warns of a tab only after Continue was refused there (FRM05 S54)', async () => {
    await open('GeneralData')
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(tabMarks()[0]).toBe('!Général, à compléter'))
    expect(tabMarks().slice(1)).toEqual([
      '2Personne, à compléter',
      '3Parents, à compléter',
      '4Documents, à compléter',
    ])
  })

  it('warns of every tab with an issue after Submit was refused (FRM05 S54)', async () => {
    await open('NicData', { data: { ...complete.data, travelDestination: '', motherSurname: '' } })
    portal.button(t('button.submit')).click()
    await portal.heading(t('tab.GeneralData'))
    await portal.see(() =>
      expect(tabMarks()).toEqual([
        '!Général, à compléter',
        'Personne, valide',
        '!Parents, à compléter',
        'Documents, valide',
      ]),
    )
  })

  it('gives the focus to the summary of the errors when Submit opens the tab that has them (S54)', async () => {
    await open('NicData', { data: { ...complete.data, travelDestination: '' } })
    portal.button(t('button.submit')).click()
    await portal.heading(t('tab.GeneralData'))
    await settle()
    expect(document.activeElement?.textContent).toContain(t('form.summaryTitle'))
  })

  it('opens the tabs in any order (S54)', async () => {
    await open('GeneralData')
    const link = [...portal.main().querySelectorAll<HTMLAnchorElement>('nav a')][2]
    link?.click()
    await portal.heading(t('tab.ParentData'))
  })

  it('shows the buttons of the tab below the form (FRM02 FRM03)', async () => {
    await open('GeneralData', complete)
    const buttons = () =>
      [...portal.main().querySelectorAll('form > :last-child button')].map(each => each.textContent)
    expect(buttons()).toEqual([t('button.continue'), t('button.cancel')])
    await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
    await portal.see(() => expect(buttons()).toEqual([t('button.continue'), t('button.back')]))
    await portal.router.navigate({ href: '/form/app-1/PP-1/NicData' })
    await portal.see(() => expect(buttons()).toEqual([t('button.submit'), t('button.back')]))
  })

  it('opens the previous tab on Back (S53), and leaves the form on Cancel (FRM14)', async () => {
    await open('PersonData')
    portal.button(t('button.back')).click()
    await portal.heading(t('tab.GeneralData'))
    portal.button(t('button.cancel')).click()
    await portal.see(() => expect(location.pathname).toBe('/procedure'))
  })
})

describe('the hand-over at a kiosk (D38)', () => {
  it('says that it failed when the device could not save the answers', async () => {
    await open('GeneralData', complete)
    portal.device.saveText(deviceUseStorageKey, 'kiosk:3')
    await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
    // As when the store could not be loaded at the sign-in.
    await portal.store.clearKey()
    portal.type('surname', 'Mbock')
    await portal.see(() => portal.button(t('handOver.own')).click())
    await portal.see(() => expect(document.body.textContent).toContain(t('handOver.failed')))
  })
})

describe('the message of a field', () => {
  it('appears under a touched field, and under no other (FRM11 FRM12)', async () => {
    await open('GeneralData')
    portal.leave('travelDestination')
    await portal.see(() => expect(portal.fault('travelDestination')).toBe(required))
    expect(portal.fault('reasonForTravel')).toBeUndefined()
  })

  it('follows the label of its field in the summary, after a colon unless the label is a question (FRM10)', async () => {
    await open('ParentData')
    portal.button(t('button.continue')).click()
    await portal.see(() =>
      expect(summaryLinks()).toEqual([
        t('form.fault', { field: t('field.motherSurname'), fault: required }),
        `${t('field.addReprData')} ${required}`,
      ]),
    )
  })

  it('is missing at a field that appears after a refused Continue, because of another answer (FRM11)', async () => {
    await open('ParentData')
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(portal.fault('motherSurname')).toBe(required))
    portal.choose('addReprData', 'YES')
    await portal.see(() => expect(portal.named('reprSurname').value).toBe(''))
    await waitForDebounce()
    await portal.see(() => expect(portal.fault('addReprData')).toBeUndefined())
    expect(portal.fault('motherSurname')).toBe(required)
    expect(portal.fault('reprSurname')).toBeUndefined()
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(portal.fault('reprSurname')).toBe(required))
  })

  it('disappears after the debounce when the answer becomes valid', async () => {
    await open('GeneralData')
    portal.leave('travelDestination')
    await portal.see(() => expect(portal.fault('travelDestination')).toBe(required))
    portal.type('travelDestination', 'F')
    expect(portal.fault('travelDestination')).toBe(required)
    await waitForDebounce()
    await portal.see(() => expect(portal.fault('travelDestination')).toBeUndefined())
    portal.type('travelDestination', 'F'.repeat(101))
    await waitForDebounce()
    await portal.see(() => expect(portal.fault('travelDestination')).toBe(t('issue.too-long-100')))
  })

  it('appears and disappears when the answer of another field changes', async () => {
    await open('NicData', {
      data: { ...firstPassport, nicDateOfIssuance: '2021-05-10', nicDateOfExpiry: '2031-05-10' },
    })
    portal.answer('nicDateOfIssuance-year', '2026')
    portal.answer('nicDateOfExpiry-year', '2026')
    portal.type('nicDateOfExpiry-month', '04')
    await waitForDebounce()
    await portal.see(() => expect(portal.fault('nicDateOfIssuance')).toBe(t('issue.issuance-after-expiry')))
    portal.type('nicDateOfExpiry-year', '2027')
    await waitForDebounce()
    await portal.see(() => expect(portal.fault('nicDateOfIssuance')).toBeUndefined())
  })

  it('changes its language with the page, and the answers stay', async () => {
    await open('GeneralData')
    portal.answer('travelDestination', 'France')
    portal.leave('reasonForTravel')
    await portal.see(() => expect(portal.fault('reasonForTravel')).toBe(required))
    await portal.language.choose('en')
    await portal.see(() => expect(portal.fault('reasonForTravel')).toBe('Required!'))
    expect(portal.named('travelDestination').value).toBe('France')
  })
})

describe('Continue', () => {
  it('stays on a tab with issues, lists them and focuses the list (FRM10)', async () => {
    await open('GeneralData')
    portal.answer('travelDestination', 'France')
    portal.button(t('button.continue')).click()
    await portal.see(() =>
      expect(summaryLinks()).toEqual([
        t('form.fault', { field: t('field.reasonForTravel'), fault: required }),
      ]),
    )
    expect(portal.fault('reasonForTravel')).toBe(required)
    expect(document.activeElement?.getAttribute('role')).toBe('alert')
    expect(location.pathname).toBe('/form/app-1/PP-1/GeneralData')
  })

  it('opens the next tab when this tab has no issues, even if others have (FRM10)', async () => {
    await open('GeneralData')
    portal.type('travelDestination', 'France')
    portal.type('reasonForTravel', 'Études')
    portal.button(t('button.continue')).click()
    await portal.heading(t('tab.PersonData'))
    expect(summaryLinks()).toEqual([])
    expect(portal.fault('surname')).toBeUndefined()
  })

  it('normalises the name in the focused field (S75)', async () => {
    await open('ParentData')
    portal.type('motherSurname', '  Ngo   Mbock ')
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(portal.named('motherSurname').value).toBe('Ngo Mbock'))
  })
})

describe('Submit', () => {
  it('sends the whole form and opens the confirmation (FRM13 FRM19 ERR10)', async () => {
    await open('NicData', complete)
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(location.pathname).toBe('/confirm/app-1/PP-1'))
    const [save] = portal.requests.filter(({ method }) => method === 'POST')
    expect(save?.url).toBe('/api/v1/applications/app-1/data')
    expect(save?.body).toEqual({ ...toWire(firstPassport), additionalData: 'kept', draft: false })
    expect(save?.headers.get('idempotency-key')).toBeTruthy()
    expect(portal.notices.state().last?.message).toEqual({ key: 'notice.dataStored' })
  })

  it('opens the first tab that has an issue (S54)', async () => {
    await open('NicData', { data: { ...complete.data, travelDestination: '', motherSurname: '' } })
    portal.button(t('button.submit')).click()
    await portal.heading(t('tab.GeneralData'))
    await portal.see(() =>
      expect(summaryLinks()).toEqual([
        t('form.fault', { field: t('field.travelDestination'), fault: required }),
      ]),
    )
    expect(portal.requests.some(({ method }) => method === 'POST')).toBe(false)
  })

  it('waits while the device is offline, says so in view and saves the answers (D33)', async () => {
    await open('NicData', complete)
    const scrolled: Element[] = []
    vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element) {
      scrolled.push(this)
    })
    portal.device.setOnline(false)
    portal.answer('nicNumber', '999')
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.submitWaits')))
    // The text may follow the scroll.
    const texts = () => scrolled.map(({ textContent }) => textContent)
    await portal.see(() => expect(texts()).toEqual([t('form.submitWaits')]))
    expect(portal.requests.some(({ method }) => method === 'POST')).toBe(false)
    await portal.see(async () =>
      expect((await portal.store.drafts.read('app-1'))?.values.nicNumber).toBe('999'),
    )
  })

  it('is sent later, and its later changes only after their issues are corrected (D33)', async () => {
    await open('NicData', complete)
    portal.device.setOnline(false)
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.submitWaits')))
    portal.answer('nicNumber', '')
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.submitFaulty')))
    portal.device.setOnline(true)
    await portal.device.advance(10_000)
    // The submitted form is sent unchanged, under its key.
    // The locks of the fake device never wait, so a form may be sent twice; then both calls have one key.
    const posts = () => portal.requests.filter(({ method }) => method === 'POST')
    const sent = () => [
      ...new Map(posts().map(({ headers, body }) => [headers.get('idempotency-key'), body])).values(),
    ]
    await portal.see(() =>
      expect(sent()).toEqual([expect.objectContaining({ nicNumber: firstPassport.nicNumber, draft: false })]),
    )
    portal.answer('nicNumber', '777')
    await portal.seeAsTimePasses(() => {
      expect(sent()).toHaveLength(2)
      expect(sent()[1]).toMatchObject({ nicNumber: '777', draft: false })
    })
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.submitThrough')))
  })

  it('shows the issues of the server under their fields (ERR09)', async () => {
    await open('NicData', { ...complete, answer: serverRefusing('localityId') })
    portal.button(t('button.submit')).click()
    await portal.heading(t('tab.PersonData'))
    await portal.see(() => expect(portal.fault('localityId')).toBe(t('issue.not-in-list')))
    expect(portal.notices.state().last?.message).toEqual({ key: 'notice.fieldsWrong' })
    portal.answer('surname', 'Mbock')
    await portal.see(() => expect(portal.named('surname').value).toBe('Mbock'))
    expect(portal.fault('localityId')).toBe(t('issue.not-in-list'))
    portal.type('regionCode', 'WEST')
    await portal.see(() => expect(portal.fault('localityId')).toBeUndefined())
  })

  it('leaves the applicant on the page that they have opened before the server refused the form (D137)', async () => {
    const refused = holdAnswer()
    const answer: PortalOptions['answer'] = request => {
      const refusal = serverRefusing('localityId')(request)
      return refusal && refused.hold(refusal)
    }
    await open('NicData', { ...complete, answer })
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(refused.isHeld()).toBe(true))
    await portal.router.navigate({ to: '/procedure' })
    await portal.heading(t('procedure.heading'))
    refused.release()
    await portal.see(() => expect(portal.notices.state().last).toBeDefined())
    await settle()
    expect(location.pathname).toBe('/procedure')
    expect(portal.notices.state().last?.message).toEqual({ key: 'notice.uploadFailed' })
  })

  it('still shows an issue of the server under the last edited field after the debounce (ERR09)', async () => {
    await open('NicData', { ...complete, answer: serverRefusing('nicNumber') })
    portal.type('nicNumber', '777')
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(portal.fault('nicNumber')).toBe(t('issue.not-in-list')))
    await waitForDebounce()
    expect(portal.fault('nicNumber')).toBe(t('issue.not-in-list'))
  })

  it('is sent again by the next press, although no answer has changed since the server refused it (FRM13)', async () => {
    const refuse = serverRefusing('nicNumber')
    let isRefusing = true
    await open('NicData', { ...complete, answer: request => (isRefusing ? refuse(request) : undefined) })
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(portal.fault('nicNumber')).toBe(t('issue.not-in-list')))
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.stuckRefused')))
    isRefusing = false
    // The button is busy until the first press has ended.
    await portal.see(() => portal.button(t('button.submit')).click())
    await portal.see(() => expect(location.pathname).toBe('/confirm/app-1/PP-1'))
  })

  it('says nothing about the answers when the service refuses the applicant, and opens the welcome page (ERR09, ERR12)', async () => {
    await open('NicData', {
      ...complete,
      answer: ({ method }) =>
        method === 'POST' ? { status: 403, json: { statusCode: 403, reason: 'forbidden' } } : undefined,
    })
    const raised: unknown[] = []
    const { raise } = portal.notices
    portal.notices.raise = (...notice) => (raised.push(notice[1]), raise(...notice))
    portal.button(t('button.submit')).click()
    await portal.heading(t('welcome.heading'))
    await portal.see(() => expect(document.querySelector('[aria-disabled]')).toBeNull())
    expect(raised).toEqual([])
  })

  it('says so and keeps the answers when a waiting submit is refused (ERR26 S89)', async () => {
    await open('NicData', { ...complete, answer: serverRefusing('localityId') })
    portal.device.setOnline(false)
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.submitWaits')))
    portal.device.setOnline(true)
    await portal.seeAsTimePasses(() =>
      expect(portal.notices.state().last?.message).toEqual({ key: 'notice.uploadFailed' }),
    )
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.stuckRefused')))
    expect(location.pathname).toBe('/form/app-1/PP-1/NicData')
    expect((await portal.store.drafts.read('app-1'))?.values.nicNumber).toBe(firstPassport.nicNumber)
  })

  it('raises the service notice when the server fails, and retries under the same key (ERR08)', async () => {
    let broken = true
    await open('NicData', {
      ...complete,
      answer: ({ method }) =>
        method === 'POST' && broken ? { status: 503, json: { statusCode: 503 } } : undefined,
    })
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(portal.requests.some(({ method }) => method === 'POST')).toBe(true))
    await portal.see(() => expect(portal.button(t('button.submit')).getAttribute('aria-disabled')).toBeNull())
    expect(portal.notices.state().last).toMatchObject({ message: { key: 'notice.serviceUnavailable' } })
    broken = false
    portal.device.setOnline(true)
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(location.pathname).toBe('/confirm/app-1/PP-1'))
    const keys = portal.requests
      .filter(({ method }) => method === 'POST')
      .map(({ headers }) => headers.get('idempotency-key'))
    // Going online may have sent the form before the second press, which then has its own key.
    const [first, second] = keys
    expect(first).toBeDefined()
    expect(second).toBe(first)
  })

  it('sends the form once when it is pressed three times', async () => {
    await open('NicData', complete)
    const submit = portal.button(t('button.submit'))
    submit.click()
    submit.click()
    submit.click()
    await portal.see(() => expect(location.pathname).toBe('/confirm/app-1/PP-1'))
    expect(portal.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })
})

describe('the draft', () => {
  it('is saved on the device within 300 ms after the last keystroke, with its tab (D30)', async () => {
    await open('PersonData')
    portal.type('surname', 'Ngo')
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.keeping')))
    await portal.device.advance(150)
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.kept')))
    const draft = await portal.store.drafts.read('app-1')
    expect([draft?.values.surname, draft?.tab]).toEqual(['Ngo', 'PersonData'])
  })

  it('is saved at once on blur (D30)', async () => {
    await open('PersonData')
    portal.answer('surname', 'Ngo')
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.kept')))
    expect((await portal.store.drafts.read('app-1'))?.values.surname).toBe('Ngo')
  })

  it('is saved at once when the page is hidden (D30)', async () => {
    await open('PersonData')
    portal.type('surname', 'Ngo')
    document.dispatchEvent(new Event('visibilitychange'))
    await portal.see(async () =>
      expect((await portal.store.drafts.read('app-1'))?.values.surname).toBe('Ngo'),
    )
  })

  it('is restored when the form is opened again, instead of the copy of the server', async () => {
    await open('PersonData')
    portal.answer('surname', 'Ngo')
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.kept')))
    const { applicant } = portal
    await portal.close()
    await open('PersonData', { applicant, data: { surname: 'Autre' } })
    expect(portal.named('surname').value).toBe('Ngo')
    expect(portal.main().textContent).toContain(t('form.kept'))
  })

  it('is still reported as on the server after a failed read of the server’s copy, and the read is repeated (D30, D33)', async () => {
    let isConnected = true
    const answer: PortalOptions['answer'] = ({ url }) => {
      if (!isConnected) return 'no connection'
      const version = { version: '1', time: '2026-06-15T09:00:00Z', features: ['caseFile', 'drafts'] }
      return url.endsWith('/version') ? { json: { data: version } } : undefined
    }
    await open('PersonData', { answer })
    portal.answer('surname', 'Ngo')
    await portal.seeAsTimePasses(() => expect(portal.main().textContent).toContain(t('form.onServer')))
    const { applicant } = portal
    await portal.close()
    isConnected = false
    await open('PersonData', { applicant, answer, data: { surname: 'Autre' } })
    const reads = () => portal.requests.filter(({ url }) => url.endsWith('/app-1/data')).length
    await portal.see(() => expect(reads()).toBe(1))
    // The page also asks in vain whether the service accepts drafts before it knows the status of the draft.
    await portal.see(async () => {
      await portal.device.advance(100)
      expect(portal.main().textContent).toContain(t('form.onServer'))
    })
    expect(portal.main().textContent).not.toContain(t('form.waiting'))
    isConnected = true
    await portal.seeAsTimePasses(() => expect(portal.named('surname').value).toBe('Autre'))
  })

  it('replaces the copy of the server as soon as the storage opens after a failed start (D30)', async () => {
    await open('PersonData')
    portal.answer('surname', 'Ngo')
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.kept')))
    const { applicant } = portal
    await portal.close()
    const opening = vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => {
      throw new DOMException('Internal error', 'UnknownError')
    })
    await open('PersonData', { applicant, data: { surname: 'Autre' } })
    expect(portal.named('surname').value).toBe('Autre')
    opening.mockRestore()
    await passStoragePause()
    await portal.see(async () => {
      await portal.device.advance(100)
      expect(portal.named('surname').value).toBe('Ngo')
    })
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.kept')))
  })

  it('is reported as unsaved when the device refuses to store it', async () => {
    await open('PersonData')
    await portal.store.clearKey()
    portal.answer('surname', 'Ngo')
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.whyRefused')))
    expect(portal.named('surname').value).toBe('Ngo')
  })

  it('does not exist before the first edit', async () => {
    await open('GeneralData')
    portal.leave('reason')
    await portal.device.advance(1_000)
    expect(await portal.store.drafts.read('app-1')).toBeUndefined()
  })
})

/**
 * Opens the empty list. Until the returned function is called, no application can be created. Afterwards the list is
 * answered when `mayList` resolves.
 */
async function openListOffline(mayList = Promise.resolve()): Promise<() => void> {
  let isConnected = false
  portal = await openPortal({
    path: '/procedure',
    answer({ method, url }) {
      if (method === 'GET' && url.includes('/applications?'))
        return isConnected ? mayList.then(() => ({ json: listOfOne })) : { json: { data: [] } }
      if (method !== 'POST' || !url.endsWith('/applications')) return undefined
      if (!isConnected) return 'no connection'
      return { json: { data: { id: 'app-1', applicationNumber: 'PP-1' } } }
    },
  })
  // The open form and a Submit both try to create the application. As in a browser, only one of them can try at a time.
  portal.device.withLock = createWaitingLocks()
  return () => void (isConnected = true)
}

describe('a form that was started without a connection', () => {
  it('opens the tab of the address, also when the address still has the local id (D33)', async () => {
    const connect = await openListOffline()
    await portal.pressNewApplication()
    await portal.heading(t('tab.GeneralData'))
    const localAddress = location.pathname
    expect(localAddress).toContain('/form/local-')
    connect()
    await portal.seeAsTimePasses(() => expect(location.pathname).toBe('/form/app-1/PP-1/GeneralData'))
    // Continue was pressed before the page knew its new address, or the applicant went back in the history.
    for (const tab of ['NicData', 'ParentData'] as const) {
      await portal.router.navigate({ href: localAddress.replace('GeneralData', tab) })
      await portal.see(() => expect(location.pathname).toBe(`/form/app-1/PP-1/${tab}`))
      await portal.heading(t(`tab.${tab}`))
    }
  })

  it('opens the confirmation when the Submit itself gives the application its number (FRM13 D33)', async () => {
    const connect = await openListOffline()
    await openCompleteForm()
    connect()
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(location.pathname).toBe('/confirm/app-1/PP-1'))
  })

  it('opens the confirmation also when the list, from which the address gets the number, comes last (FRM13 D33)', async () => {
    let answerList = doNothing
    const mayList = new Promise<void>(resolve => (answerList = resolve))
    const connect = await openListOffline(mayList)
    await openCompleteForm()
    connect()
    portal.button(t('button.submit')).click()
    // The Submit has ended.
    await portal.see(() => expect(location.pathname).not.toMatch(/^\/form\//))
    answerList()
    await portal.see(() => expect(location.pathname).toBe('/confirm/app-1/PP-1'))
  })
})

/** Opens the last tab of a form that was started without a connection and has all answers. */
async function openCompleteForm() {
  const draft = newDraft({ values: firstPassport, tab: 'NicData', create: { key: 'start' } })
  await portal.store.drafts.update('local-1', () => draft)
  await portal.router.navigate({ href: '/form/local-1/-/NicData' })
  await portal.heading(t('tab.NicData'))
  await portal.see(() => expect(portal.named('nicNumber').value).toBe(firstPassport.nicNumber))
}

describe('a form whose draft moves to the id of the server (D33)', () => {
  it('keeps its fields when the applicant opens another tab after the move, before the list of drafts shows the move', async () => {
    portal = await openPortal({
      path: '/procedure',
      answer({ method, url }) {
        // The list of drafts waits for it.
        if (url.endsWith('/version')) return 'hangs'
        if (method === 'POST' && url.endsWith('/applications')) return 'hangs'
        return undefined
      },
    })
    const started = newDraft({ values: emptyForm(), tab: 'GeneralData', create: { key: 'start' } })
    await portal.store.drafts.update('local-1', () => started)
    await portal.router.navigate({ href: '/form/local-1/-/GeneralData' })
    await portal.heading(t('tab.GeneralData'))
    await portal.see(() => expect(portal.named('travelDestination').value).toBe(''))
    const form = portal.main().querySelector('form')
    portal.answer('travelDestination', 'Gabon')
    await portal.store.drafts.move('local-1', 'app-1', draft => afterMoved(draft, undefined))
    await portal.router.navigate({ href: '/form/local-1/-/PersonData' })
    await portal.see(() => expect(location.pathname).toBe('/form/app-1/PP-1/PersonData'))
    await portal.heading(t('tab.PersonData'))
    expect(portal.main().querySelector('form')).toBe(form)
  })

  it('opens another tab after the move, although the list of applications on the page is from before the move', async () => {
    let data: typeof listOfOne.data = []
    portal = await openPortal({
      path: '/procedure',
      answer({ method, url }) {
        // The list of drafts, which tells the page of the move, waits for it.
        if (url.endsWith('/version')) return 'hangs'
        if (method === 'POST' && url.endsWith('/applications')) return 'hangs'
        return method === 'GET' && url.includes('/applications?') ? { json: { data } } : undefined
      },
    })
    await portal.see(() => expect(portal.main().textContent).toContain(t('procedure.empty')))
    const started = newDraft({ values: emptyForm(), tab: 'GeneralData', create: { key: 'start' } })
    await portal.store.drafts.update('local-1', () => started)
    await portal.router.navigate({ href: '/form/local-1/-/GeneralData' })
    await portal.heading(t('tab.GeneralData'))
    data = listOfOne.data
    await portal.store.drafts.move('local-1', 'app-1', draft => afterMoved(draft, undefined))
    await portal.router.navigate({ href: '/form/local-1/-/PersonData' })
    await portal.see(() => expect(location.pathname).not.toContain('local-1'))
    expect(location.pathname).toBe('/form/app-1/PP-1/PersonData')
  })
})

describe('a form that gets its number on a slow connection (D33)', () => {
  it('stays when the list, as it was before the creation, is answered after it', async () => {
    const server = { isConnected: false, lists: 0, data: [] as typeof listOfOne.data }
    const older = holdAnswer()
    portal = await openPortal({
      path: '/procedure',
      answer({ method, url }) {
        if (method === 'GET' && url.includes('/applications?')) {
          server.lists += 1
          const answer = { json: { data: server.data } }
          return server.lists === 2 ? older.hold(answer) : answer
        }
        if (method !== 'POST' || !url.endsWith('/applications')) return undefined
        if (!server.isConnected) return 'no connection'
        server.data = listOfOne.data
        return { json: { data: { id: 'app-1', applicationNumber: 'PP-1' } } }
      },
    })
    portal.device.withLock = createWaitingLocks()
    await portal.see(() => expect(server.lists).toBe(1))
    await portal.pressNewApplication()
    await portal.heading(t('tab.GeneralData'))
    await portal.see(() => expect(older.isHeld()).toBe(true))
    const [, , startedAs = ''] = location.pathname.split('/')
    server.isConnected = true
    await portal.seeAsTimePasses(async () =>
      expect(await portal.store.drafts.resolveId(startedAs)).toBe('app-1'),
    )
    // The guard of the new address, which reads the storage first, waits for the list.
    for (let read = 0; read < 10; read += 1) await portal.store.drafts.all()
    older.release()
    await portal.see(() => expect(location.pathname).not.toContain(startedAs))
    await portal.heading(t('tab.GeneralData'))
    expect(location.pathname).toBe('/form/app-1/PP-1/GeneralData')
  })

  it('stays on the page while the list of applications loads', async () => {
    const answers = { creation: doNothing, list: doNothing }
    const mayCreate = new Promise<void>(resolve => (answers.creation = resolve))
    const mayList = new Promise<void>(resolve => (answers.list = resolve))
    portal = await openPortal({
      path: '/help',
      answer({ method, url }) {
        if (method === 'GET' && url.includes('/applications?'))
          return mayList.then(() => ({ json: listOfOne }))
        if (method !== 'POST' || !url.endsWith('/applications')) return undefined
        return mayCreate.then(() => ({ json: { data: { id: 'app-1', applicationNumber: 'PP-1' } } }))
      },
    })
    const draft = newDraft({ values: emptyForm(), tab: 'GeneralData', create: { key: 'start' } })
    await portal.store.drafts.update('local-1', () => draft)
    await portal.router.navigate({ href: '/form/local-1/-/GeneralData' })
    await portal.heading(t('tab.GeneralData'))
    await portal.see(() => expect(portal.named('travelDestination').value).toBe(''))
    const form = portal.main().querySelector('form')
    const lists = () => portal.requests.filter(({ url }) => url.includes('/applications?')).length
    answers.creation()
    await portal.see(() => expect(lists()).toBeGreaterThan(0))
    // Longer than the router waits before it hides the page and shows that another one loads.
    await new Promise(resolve => setTimeout(resolve, 1_000))
    expect(portal.main().querySelector('[style*="display: none"]')).toBeNull()
    answers.list()
    await portal.see(() => expect(location.pathname).toBe('/form/app-1/PP-1/GeneralData'))
    expect(portal.main().querySelector('form')).toBe(form)
  })
})

const listOfOne = { data: [{ id: 'app-1', applicationNumber: 'PP-1', currentState: 'NEW' }] }

describe('a form of an application that was also started without a connection (D33)', () => {
  it('keeps its fields when the server answers the start with the same application', async () => {
    await open('GeneralData', {
      answer({ method, url }) {
        if (url.endsWith('/version')) return { json: { data: { version: '1', features: ['drafts'] } } }
        if (method !== 'POST' || !url.endsWith('/applications')) return undefined
        return { json: { data: { id: 'app-1', applicationNumber: 'PP-1' } } }
      },
    })
    const form = portal.main().querySelector('form')
    // The answer to the start was lost, and the applicant opened the form from the list.
    const started = newDraft({ values: emptyForm(), tab: 'GeneralData', create: { key: 'start' } })
    await portal.store.drafts.update('local-1', () => started)
    portal.device.wakeUp()
    await portal.see(async () => {
      const drafts = await portal.store.drafts.all()
      expect(drafts.map(({ applicationId }) => applicationId)).toEqual(['app-1'])
    })
    portal.answer('travelDestination', 'Gabon')
    const saves = () =>
      portal.requests.findLastIndex(({ method, url }) => method === 'POST' && url.endsWith('/data'))
    // When the answer is on the server, the page reads the form again.
    await portal.see(async () => {
      await portal.device.advance(100)
      expect(saves()).toBeGreaterThan(0)
      expect(
        portal.requests.slice(saves()).some(({ url, method }) => method === 'GET' && url.endsWith('/data')),
      ).toBe(true)
    })
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.onServer')))
    expect(portal.main().querySelector('form')).toBe(form)
  })
})

describe('a form that cannot be loaded', () => {
  it('says so and retries on request, and the heading keeps the focus', async () => {
    let broken = true
    portal = await openPortal({
      path: '/form/app-1/PP-1/GeneralData',
      data: { travelDestination: 'France' },
      answer: ({ url }) =>
        broken && url.endsWith('/app-1/data') ? { status: 500, json: { statusCode: 500 } } : undefined,
    })
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.loadFailed')))
    broken = false
    const heading = document.getElementById('heading')
    heading?.focus()
    portal.button(t('button.retry')).click()
    await portal.see(() => expect(portal.named('travelDestination').value).toBe('France'))
    // If the heading lost the focus, Tab would begin at the top of the page.
    expect(document.activeElement).toBe(heading)
  })
})

describe('the controls', () => {
  it.each([
    ['GeneralData', ['languagePref']],
    ['PersonData', ['city', 'otherOccupation', 'resAddressCity']],
    ['ParentData', ['reprCity', 'reprOtherOccupation']],
    ['NicData', ['nicDateOfIssuance', 'nicDateOfExpiry', 'eppDateOfIssuance']],
  ] as const)('of %s have the names of the specification (D4)', async (tab, hidden) => {
    await open(tab, {
      data: { ...minorWithRepresentative, selectNic: '2', reason: '11212', reprPlaceOfBirth: '10998' },
    })
    const parts = /^repr(?:Day|Month|Year)|DateOf(?:Issuance|Expiry)$/
    const names = fieldsOfTab[tab].filter(
      name => !hidden.some(other => other === name) && !(name.startsWith('repr') && parts.test(name)),
    )
    for (const name of names) expect(portal.named(name).name).toBe(name)
  })
})

describe('a refusal while the form is open', () => {
  it.each([403, 429])(
    'with %i of the refresh opens the welcome page, which offers the list (SES06, ERR12, D89)',
    async status => {
      await open('GeneralData', { answer: refusedAt('/refresh-token', status) })
      await portal.device.advance(450_000)
      await portal.heading(t('welcome.heading'))
      await portal.see(() => expect(portal.main().textContent).toContain(t('welcome.toProcedure')))
    },
  )

  it.each([403, 429])('with %i of a list keeps the form (D89)', async status => {
    await open('PersonData', { answer: refusedAt('/dictionary/', status) })
    await portal.see(() =>
      expect(portal.requests.some(({ url }) => url.includes('/dictionary/professions'))).toBe(true),
    )
    await portal.see(() => expect(portal.main().textContent).toContain(t('select.fetchOptionsError')))
    expect(document.querySelector('h1')?.textContent).toBe(t('tab.PersonData'))
  })
})

describe('the opening of the form', () => {
  it('shows the heading together with the fields, and moves the focus to it (D136)', async () => {
    const data = holdAnswer()
    portal = await openPortal({
      path: '/procedure',
      answer: ({ url, method }) =>
        method === 'GET' && url.includes('/app-1/data')
          ? data.hold({ json: { data: emptyForm() } })
          : undefined,
    })
    await portal.heading(t('procedure.heading'))
    void portal.router.navigate({ href: '/form/app-1/PP-1/GeneralData' })
    await portal.see(() => expect(data.isHeld()).toBe(true))
    await portal.see(() => expect(document.activeElement?.id).toBe('main'))
    expect(document.querySelector('h1')).toBeNull()
    expect(portal.main().textContent).toContain(t('app.loading'))
    data.release()
    await portal.heading(t('tab.GeneralData'))
    expect(portal.named('travelDestination')).toBeTruthy()
    await portal.see(() => expect(document.activeElement?.id).toBe('heading'))
  })

  it('moves the focus from the retry button to the heading, which keeps it, when the applicant loads the form again', async () => {
    let isBroken = true
    portal = await openPortal({
      path: '/form/app-1/PP-1/GeneralData',
      answer: request => (isBroken ? refusedAt('/app-1/data', 404)(request) : undefined),
    })
    const retry = await portal.see(() => portal.button(t('button.retry')))
    isBroken = false
    retry.focus()
    retry.click()
    await portal.see(() => expect(portal.named('travelDestination')).toBeTruthy())
    expect(document.activeElement?.id).toBe('heading')
  })
})
