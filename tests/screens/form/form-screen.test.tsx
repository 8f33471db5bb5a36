// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { fieldsOfTab, toWire } from '#contract/application.ts'
import { firstPassport, minorWithRepresentative } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type PortalOptions, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
const required = t('issue.required')
let portal: Portal

afterEach(() => portal.close())

async function open(tab: string, opening: Partial<PortalOptions> = {}) {
  portal = await openPortal({ path: `/form/app-1/PP-1/${tab}`, ...opening })
  await portal.see(() => expect(portal.main().querySelector('form [name]')).not.toBeNull())
}

/** A server that has a complete form. */
const complete = { data: { ...toWire(firstPassport), additionalData: 'kept' } }

/** The server takes no form, for the sake of this field. */
function serverRefusing(field: string): NonNullable<PortalOptions['answer']> {
  const refusal = { status: 422, json: { statusCode: 422, errors: [{ field, message: 'not-in-list' }] } }
  return ({ method }) => (method === 'POST' ? refusal : undefined)
}

/** Rules are asked when a word is done, not at each of its letters. */
async function waitForDebounce() {
  // What a field that was left asks for is answered long before.
  await new Promise(resolve => setTimeout(resolve))
  await portal.device.advance(250)
}

function tabMarks() {
  return [...portal.main().querySelectorAll(`nav a`)].map(link => link.textContent)
}

function summaryLinks() {
  return [...portal.main().querySelectorAll('[role="alert"] a')].map(link => link.textContent)
}

describe('the tabs', () => {
  it('FRM01 FRM05 stand in their order, each marked as required while it has a fault', async () => {
    await open('GeneralData')
    expect(tabMarks()).toEqual([
      '!Général, à compléter',
      '!Personne, à compléter',
      '!Parents, à compléter',
      '!Documents, à compléter',
    ])
    expect(portal.main().querySelector('[aria-current="step"]')?.textContent).toContain('Général')
  })

  it('FRM04 turn valid with the last answer', async () => {
    await open('GeneralData')
    portal.type('travelDestination', 'France')
    portal.type('reasonForTravel', 'Études')
    await waitForDebounce()
    await portal.see(() => expect(tabMarks()[0]).toBe('Général, valide'))
  })

  it('S54 can be opened in any order', async () => {
    await open('GeneralData')
    const link = [...portal.main().querySelectorAll<HTMLAnchorElement>('nav a')][2]
    link?.click()
    await portal.heading(t('tab.ParentData'))
  })

  it('FRM02 FRM03 have their own buttons at the foot', async () => {
    await open('GeneralData', complete)
    const buttons = () =>
      [...portal.main().querySelectorAll('form > :last-child button')].map(each => each.textContent)
    expect(buttons()).toEqual([t('button.continue'), t('button.cancel')])
    await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
    await portal.see(() => expect(buttons()).toEqual([t('button.continue'), t('button.back')]))
    await portal.router.navigate({ href: '/form/app-1/PP-1/NicData' })
    await portal.see(() => expect(buttons()).toEqual([t('button.submit'), t('button.back')]))
  })

  it('FRM14 leave the form by Cancel, and S53 go back by Back', async () => {
    await open('PersonData')
    portal.button(t('button.back')).click()
    await portal.heading(t('tab.GeneralData'))
    portal.button(t('button.cancel')).click()
    await portal.see(() => expect(location.pathname).toBe('/procedure'))
  })
})

describe('a message', () => {
  it('FRM11 FRM12 appears under a field that was touched, and under no other', async () => {
    await open('GeneralData')
    portal.leave('travelDestination')
    await portal.see(() => expect(portal.fault('travelDestination')).toBe(required))
    expect(portal.fault('reasonForTravel')).toBeUndefined()
  })

  it('goes with the fault', async () => {
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

  it('follows the answer of another field', async () => {
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

  it('changes its language with the rest, and the answers stay', async () => {
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
  it('FRM10 stays on a tab with faults, shows them and takes the focus to their list', async () => {
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

  it('FRM10 opens the next tab from one without faults, whatever the others have', async () => {
    await open('GeneralData')
    portal.type('travelDestination', 'France')
    portal.type('reasonForTravel', 'Études')
    portal.button(t('button.continue')).click()
    await portal.heading(t('tab.PersonData'))
    expect(summaryLinks()).toEqual([])
    expect(portal.fault('surname')).toBeUndefined()
  })

  it('PER03 tidies the name that was being typed', async () => {
    await open('ParentData')
    portal.type('motherSurname', '  Ngo   Mbock ')
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(portal.named('motherSurname').value).toBe('Ngo Mbock'))
  })
})

describe('Submit', () => {
  it('FRM13 FRM19 ERR10 sends the whole form and goes to the confirmation', async () => {
    await open('NicData', complete)
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(location.pathname).toBe('/confirm/app-1/PP-1'))
    const [save] = portal.asked.filter(({ method }) => method === 'POST')
    expect(save?.url).toBe('/api/v1/applications/app-1/data')
    expect(save?.body).toEqual({ ...toWire(firstPassport), additionalData: 'kept', draft: false })
    expect(save?.headers.get('idempotency-key')).toBeTruthy()
    expect(portal.notices.state().last?.words).toEqual({ key: 'notice.dataStored' })
  })

  it('S54 opens the first tab that has a fault', async () => {
    await open('NicData', { data: { ...complete.data, travelDestination: '', motherSurname: '' } })
    portal.button(t('button.submit')).click()
    await portal.heading(t('tab.GeneralData'))
    await portal.see(() =>
      expect(summaryLinks()).toEqual([
        t('form.fault', { field: t('field.travelDestination'), fault: required }),
      ]),
    )
    expect(portal.asked.some(({ method }) => method === 'POST')).toBe(false)
  })

  it('D33 waits for the line, says so and keeps the answers', async () => {
    await open('NicData', complete)
    portal.device.setOnline(false)
    portal.answer('nicNumber', '999')
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.submitWaits')))
    expect(portal.asked.some(({ method }) => method === 'POST')).toBe(false)
    await portal.see(async () =>
      expect((await portal.store.drafts.read('app-1'))?.values.nicNumber).toBe('999'),
    )
  })

  it('D33 goes later with what was changed meanwhile; with a fault in it, only once that is mended', async () => {
    await open('NicData', complete)
    portal.device.setOnline(false)
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.submitWaits')))
    portal.answer('nicNumber', '')
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.submitFaulty')))
    portal.device.setOnline(true)
    await portal.device.advance(10_000)
    // What was pressed goes as it was then, under its key.
    // (This device has no locks: what goes twice goes under one key.)
    const posts = () => portal.asked.filter(({ method }) => method === 'POST')
    const sent = () => [
      ...new Map(posts().map(({ headers, body }) => [headers.get('idempotency-key'), body])).values(),
    ]
    await portal.see(() =>
      expect(sent()).toEqual([expect.objectContaining({ nicNumber: firstPassport.nicNumber, draft: false })]),
    )
    portal.answer('nicNumber', '777')
    await portal.see(async () => {
      await portal.device.advance(1_000)
      expect(sent()).toHaveLength(2)
      expect(sent()[1]).toMatchObject({ nicNumber: '777', draft: false })
    })
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.submitThrough')))
  })

  it('ERR09 puts what the server finds under its fields', async () => {
    await open('NicData', { ...complete, answer: serverRefusing('localityId') })
    portal.button(t('button.submit')).click()
    await portal.heading(t('tab.PersonData'))
    await portal.see(() => expect(portal.fault('localityId')).toBe(t('issue.not-in-list')))
    expect(portal.notices.state().last?.words).toEqual({ key: 'notice.fieldsWrong' })
    portal.answer('surname', 'Mbock')
    await portal.see(() => expect(portal.named('surname').value).toBe('Mbock'))
    expect(portal.fault('localityId')).toBe(t('issue.not-in-list'))
    portal.type('regionCode', 'WEST')
    await portal.see(() => expect(portal.fault('localityId')).toBeUndefined())
  })

  it('ERR09 stays under the field that was typed in last, however fast the server answers', async () => {
    await open('NicData', { ...complete, answer: serverRefusing('nicNumber') })
    portal.type('nicNumber', '777')
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(portal.fault('nicNumber')).toBe(t('issue.not-in-list')))
    await waitForDebounce()
    expect(portal.fault('nicNumber')).toBe(t('issue.not-in-list'))
  })

  it('ERR26 S89 that waited for the line and is refused says so, and keeps the answers', async () => {
    await open('NicData', { ...complete, answer: serverRefusing('localityId') })
    portal.device.setOnline(false)
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.submitWaits')))
    portal.device.setOnline(true)
    await portal.device.advance(10_000)
    await portal.see(() => expect(portal.notices.state().last?.words).toEqual({ key: 'notice.uploadFailed' }))
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.stuckRefused')))
    expect(location.pathname).toBe('/form/app-1/PP-1/NicData')
    expect((await portal.store.drafts.read('app-1'))?.values.nicNumber).toBe(firstPassport.nicNumber)
  })

  it('ERR08 says what is said of every broken server, and nothing of its own, and tries again under the same key', async () => {
    let broken = true
    await open('NicData', {
      ...complete,
      answer: ({ method }) =>
        method === 'POST' && broken ? { status: 503, json: { statusCode: 503 } } : undefined,
    })
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(portal.asked.some(({ method }) => method === 'POST')).toBe(true))
    await portal.see(() => expect(portal.button(t('button.submit')).getAttribute('aria-disabled')).toBeNull())
    expect(portal.notices.state().last).toMatchObject({ words: { key: 'notice.serviceUnavailable' } })
    broken = false
    portal.device.setOnline(true)
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(location.pathname).toBe('/confirm/app-1/PP-1'))
    const keys = portal.asked
      .filter(({ method }) => method === 'POST')
      .map(({ headers }) => headers.get('idempotency-key'))
    // The line's return may have sent it before the press, which is an intent of its own then.
    const [first, second] = keys
    expect(first).toBeDefined()
    expect(second).toBe(first)
  })

  it('sends once however often it is pressed', async () => {
    await open('NicData', complete)
    const submit = portal.button(t('button.submit'))
    submit.click()
    submit.click()
    submit.click()
    await portal.see(() => expect(location.pathname).toBe('/confirm/app-1/PP-1'))
    expect(portal.asked.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })
})

describe('what was typed', () => {
  it('D30 is on the device 300 ms after the last key, with its tab', async () => {
    await open('PersonData')
    portal.type('surname', 'Ngo')
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.keeping')))
    await portal.device.advance(150)
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.kept')))
    const draft = await portal.store.drafts.read('app-1')
    expect([draft?.values.surname, draft?.tab]).toEqual(['Ngo', 'PersonData'])
  })

  it('D30 is on the device at once when its field is left', async () => {
    await open('PersonData')
    portal.answer('surname', 'Ngo')
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.kept')))
    expect((await portal.store.drafts.read('app-1'))?.values.surname).toBe('Ngo')
  })

  it('D30 is on the device at once when the page is hidden', async () => {
    await open('PersonData')
    portal.type('surname', 'Ngo')
    document.dispatchEvent(new Event('visibilitychange'))
    await portal.see(async () =>
      expect((await portal.store.drafts.read('app-1'))?.values.surname).toBe('Ngo'),
    )
  })

  it('is there again when the form is opened anew, before what the server has', async () => {
    await open('PersonData')
    portal.answer('surname', 'Ngo')
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.kept')))
    const { applicant } = portal
    await portal.close()
    await open('PersonData', { applicant, data: { surname: 'Autre' } })
    expect(portal.named('surname').value).toBe('Ngo')
    expect(portal.main().textContent).toContain(t('form.kept'))
  })

  it('is said not to be kept when the device refuses', async () => {
    await open('PersonData')
    await portal.store.clearKey()
    portal.answer('surname', 'Ngo')
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.whyRefused')))
    expect(portal.named('surname').value).toBe('Ngo')
  })

  it('is nothing while nothing was typed', async () => {
    await open('GeneralData')
    portal.leave('reason')
    await portal.device.advance(1_000)
    expect(await portal.store.drafts.read('app-1')).toBeUndefined()
  })
})

describe('a form that cannot be read', () => {
  it('says so and tries again when asked', async () => {
    let broken = true
    portal = await openPortal({
      path: '/form/app-1/PP-1/GeneralData',
      data: { travelDestination: 'France' },
      answer: ({ url }) =>
        broken && url.endsWith('/app-1/data') ? { status: 500, json: { statusCode: 500 } } : undefined,
    })
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.loadFailed')))
    broken = false
    portal.button(t('button.retry')).click()
    await portal.see(() => expect(portal.named('travelDestination').value).toBe('France'))
  })
})

describe('every control', () => {
  it.each([
    ['GeneralData', ['languagePref']],
    ['PersonData', ['city', 'otherOccupation', 'resAddressCity']],
    ['ParentData', ['reprCity', 'reprOtherOccupation']],
    ['NicData', ['nicDateOfIssuance', 'nicDateOfExpiry', 'eppDateOfIssuance']],
  ] as const)('of %s is named as the specification names it (D4)', async (tab, elsewhere) => {
    await open(tab, { data: { ...minorWithRepresentative, reason: '11212', reprPlaceOfBirth: '10998' } })
    const parts = /^repr(?:Day|Month|Year)|DateOf(?:Issuance|Expiry)$/
    const names = fieldsOfTab[tab].filter(
      name => !elsewhere.some(other => other === name) && !(name.startsWith('repr') && parts.test(name)),
    )
    for (const name of names) expect(portal.named(name).name).toBe(name)
  })
})
