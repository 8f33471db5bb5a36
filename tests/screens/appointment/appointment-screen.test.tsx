// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { minorWithRepresentative } from '#support/data/applicants.ts'
import { openPortal, type Portal, type PortalOptions } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'
import { deviceUseStorageKey } from '#contract/codes.ts'

const t = textsOf('fr')
const dates = ['2026-06-16', '2026-06-17', '2026-06-18']
let portal: Portal

afterEach(() => portal.close())

const lists = {
  '/appointments/countries': [{ id: 10998, name: 'Cameroun' }],
  '/appointments/countries/10998/cities': [{ id: 1, name: 'Yaoundé' }],
  '/appointments/offices': [{ id: 1, name: 'Bureau', address: 'Etoudi' }],
  '/appointments/offices/1/available-slots': ['08:00:00', '09:30:00'],
}

/**
 * Opens the booking at an office of Yaoundé, on 15 June 2026 at 10:00 there, and waits for its times. `available`: fields of
 * the answer with the free dates. Its `changeableFrom` is the earliest start of an appointment that can still be changed.
 */
async function open(available: object, opening: Partial<PortalOptions> = {}) {
  await openAtOffice(available, opening)
  await portal.see(() => expect(portal.named('time').value).not.toBe(''))
}

async function openAtOffice(available: object, opening: Partial<PortalOptions> = {}) {
  portal = await openPortal({
    path: '/appointment/app-1/PP-1',
    state: 'PAYMENT_DONE',
    ...opening,
    answer(request) {
      const given = opening.answer?.(request)
      if (given) return given
      const { url } = request
      const path = new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')
      if (path === '/appointments/apt-1') return { json: { data: booked } }
      if (path.endsWith('/available-dates')) return { json: { data: { data: dates, ...available } } }
      const list = Object.entries(lists).find(([address]) => address === path)?.[1]
      return list && { json: { data: { data: list } } }
    },
  })
}

const booked = {
  id: 'apt-1',
  appointmentDate: '2026-06-17T08:00:00',
  country: 'Cameroun',
  countryId: '10998',
  city: 'Yaoundé',
  nameOffice: 'Bureau',
  changeAllowed: true,
}

const change = {
  path: '/appointment/app-1/PP-1/apt-1',
  state: 'APPOINTMENT_SCHEDULED',
  data: { changeAppointmentAccess: true, appointmentChangeCount: 1 },
}

const isFinalPanelShown = () => portal.main().textContent.includes(t('appointment.finalHeading'))

// Loads the calendar, which takes long on a busy machine.
describe('booking screen', { timeout: 60_000 }, () => {
  it('says that the time is final, and offers the first date that is not (D43)', async () => {
    await open({ changeableFrom: '2026-06-16T10:00:00' })
    expect(isFinalPanelShown()).toBe(true)
    portal.button(t('appointment.otherDate')).click()
    await portal.see(() => expect(portal.named('date').value).toBe('2026-06-17'))
    expect(document.activeElement?.getAttribute('name')).toBe('date')
    await portal.see(() => expect(isFinalPanelShown()).toBe(false))
  })

  it('says that the choice is final, and offers no other date, when no change is left (D43)', async () => {
    await open({ changeableFrom: null })
    expect(isFinalPanelShown()).toBe(true)
    expect(portal.main().textContent).not.toContain(t('appointment.otherDate'))
  })

  it('says of the general queue that it has no time and is final (D43, APT14)', async () => {
    await openAtOffice({ data: [], changeableFrom: null })
    await portal.see(() => expect(portal.main().textContent).toContain(t('appointment.queue')))
    expect(isFinalPanelShown()).toBe(true)
    expect(portal.main().textContent).not.toContain(t('appointment.queueChange'))
  })

  it('lists for the general queue the papers of the day of the server (F13, S73)', async () => {
    // The clock of the phone is years behind: on the day of the server the applicant is of age.
    const version = { json: { data: { version: '1', features: [], time: '2050-06-15T09:00:00Z' } } }
    const answer = ({ url }: { url: string }) => (url.endsWith('/version') ? version : undefined)
    await openAtOffice({ data: [] }, { data: toWire(minorWithRepresentative), answer })
    await portal.see(() => expect(portal.main().textContent).toContain(t('paper.marriageCertificate')))
    expect(portal.main().textContent).not.toContain(t('paper.parentalConsent'))
  })

  it('says that a change to the general queue gives up the booked appointment (D43, APT14)', async () => {
    await openAtOffice({ data: [], changeableFrom: '2026-06-16T08:00:00' }, change)
    await portal.see(() => expect(portal.main().textContent).toContain(t('appointment.queueChange')))
    expect(isFinalPanelShown()).toBe(false)
  })

  it('says that a change to the general queue gives up the booked appointment also when a list could not be read at first (D43, APT14)', async () => {
    let isLost = true
    const answer = ({ url }: { url: string }) =>
      isLost && url.includes('/appointments/countries?') ? ('no connection' as const) : undefined
    await openAtOffice({ data: [] }, { ...change, answer })
    const { button, main, named, typeInto } = portal
    await portal.seeAsTimePasses(() => expect(main().textContent).toContain(t('select.fetchOptionsError')))
    isLost = false
    await portal.see(() => button(t('button.retry')).click())
    await portal.see(() => expect(named('country').querySelector('[value="10998"]')).not.toBeNull())
    typeInto(named('country'), '10998')
    await portal.see(() => expect(main().textContent).toContain(t('appointment.queue')))
    expect(main().textContent).toContain(t('appointment.queueChange'))
  })

  it('does not say that an applicant of the general queue gives up an appointment (APT14)', async () => {
    const queued = { json: { data: { ...booked, appointmentDate: null } } }
    const answer = ({ url }: { url: string }) => (url.includes('/appointments/apt-1') ? queued : undefined)
    await openAtOffice({ data: [], changeableFrom: '2026-06-16T08:00:00' }, { ...change, answer })
    await portal.see(() => expect(portal.main().textContent).toContain(t('appointment.queue')))
    expect(portal.main().textContent).not.toContain(t('appointment.queueChange'))
  })

  it('does not say that the choice is final when the time can be changed, or when the server does not say from when (D43, D5)', async () => {
    await open({ changeableFrom: '2026-06-16T08:00:00' })
    expect(isFinalPanelShown()).toBe(false)
    await portal.close()
    await open({})
    expect(isFinalPanelShown()).toBe(false)
  })

  it('starts at the only country, with the first free date and time', async () => {
    await open({})
    expect(portal.named('country').value).toBe('10998')
    expect([portal.named('date').value, portal.named('time').value]).toEqual(['2026-06-16', '08:00:00'])
  })

  it('starts a change at the booked office and day, and does not offer the booked time (S60)', async () => {
    await open({}, change)
    await portal.see(() => expect(portal.named('date').value).toBe('2026-06-17'))
    await portal.see(() => expect(portal.options('time')).toEqual(['09:30']))
    expect(portal.named('officeId').value).toBe('1')
  })

  it('starts a change at the booked office and day at a kiosk too, whose office may be another one (S60, D38)', async () => {
    await open({}, { ...change, texts: { [deviceUseStorageKey]: 'kiosk:2' } })
    await portal.see(() => expect(portal.named('date').value).toBe('2026-06-17'))
    await portal.see(() => expect(portal.options('time')).toEqual(['09:30']))
    expect(portal.named('officeId').value).toBe('1')
  })

  it('names the office of the appointment in the language that the applicant chooses on the page (NAV21, S60)', async () => {
    const inEnglish = { json: { data: { ...booked, nameOffice: 'Office of Yaoundé' } } }
    const answer = ({ url }: { url: string }) =>
      url.includes('/appointments/apt-1') && url.includes('lg=en') ? inEnglish : undefined
    await open({}, { ...change, answer })
    expect(portal.main().textContent).not.toContain('Office of Yaoundé')
    await portal.language.choose('en')
    await portal.see(() => expect(portal.main().textContent).toContain('Office of Yaoundé'))
  })

  it('says that the day has no free time, and what to do (APT13, S60)', async () => {
    const full = { json: { data: { data: [] } } }
    await openAtOffice({}, { answer: ({ url }) => (url.includes('/available-slots') ? full : undefined) })
    await portal.see(() => expect(portal.options('time')).toEqual([t('appointment.dayFull')]))
  })
})

describe('dates that could not be read', { timeout: 60_000 }, () => {
  let isBroken: boolean

  async function openWithoutDates() {
    isBroken = true
    const broken = { status: 404, json: { statusCode: 404 } }
    const answer = ({ url }: { url: string }) =>
      isBroken && url.includes('/available-dates') ? broken : undefined
    await openAtOffice({}, { answer })
    await portal.see(() => expect(portal.main().textContent).toContain(t('select.fetchOptionsError')))
  }

  it('are read again on Confirm, which is not busy before the press (APT11)', async () => {
    await openWithoutDates()
    const confirm = portal.button(t('button.confirm'))
    await portal.see(() => expect(confirm.getAttribute('aria-disabled')).toBeNull())
    isBroken = false
    confirm.click()
    await portal.see(() => expect(portal.named('time').value).toBe('08:00:00'))
    const posts = portal.requests.filter(({ method }) => method === 'POST').map(({ url }) => url)
    // Nothing is booked. The page of an earlier test in this file may still send something.
    expect(posts.filter(url => url.includes('/appointments'))).toEqual([])
  })

  it('leave the focus on the heading when the applicant loads them again, because their button is gone', async () => {
    await openWithoutDates()
    isBroken = false
    const retry = portal.button(t('button.retry'))
    retry.focus()
    retry.click()
    await portal.see(() => expect(portal.named('time').value).toBe('08:00:00'))
    expect(document.activeElement?.id).toBe('heading')
  })
})

const asked = () => portal.requests.filter(({ url, method }) => method === 'POST' && url.includes('/watch'))

it('asks for a watch with a new key after a refusal, whose answer the old key would repeat (D13)', async () => {
  const version = { time: '2026-06-15T09:00:00Z', version: '1', features: ['watch'] }
  await open(
    { data: ['2026-09-16'] },
    {
      answer({ url, method }) {
        if (url.includes('/version')) return { json: { data: version } }
        if (!url.includes('/watch')) return undefined
        if (method === 'GET') return { json: { data: { watch: null } } }
        return { status: 409, json: { statusCode: 409, message: 'no', reason: 'wrong-state' } }
      },
    },
  )
  for (const presses of [1, 2]) {
    await portal.see(() => portal.button(t('appointment.watchStart')).click())
    await portal.see(() => expect(asked()).toHaveLength(presses))
    await portal.see(() =>
      expect(portal.button(t('appointment.watchStart')).getAttribute('aria-disabled')).toBeNull(),
    )
  }
  const [first, second] = asked().map(({ headers }) => headers.get('idempotency-key'))
  expect(first).not.toBeNull()
  expect(second).not.toBe(first)
})

it('gives the focus to the heading when a watch ends that would not be offered again, because its button is gone (F10)', async () => {
  const version = { time: '2026-06-15T09:00:00Z', version: '1', features: ['watch'] }
  let watch: object | null = { officeId: '1', office: 'Bureau', before: '2026-06-16', told: 0 }
  await open(
    {},
    {
      answer({ url, method }) {
        if (url.includes('/version')) return { json: { data: version } }
        if (!url.includes('/watch')) return undefined
        if (method !== 'GET') watch = null
        return { json: { data: { watch } } }
      },
    },
  )
  await portal.see(() => portal.button(t('appointment.watchStop')).focus())
  portal.button(t('appointment.watchStop')).click()
  await portal.see(() => expect(portal.main().textContent).not.toContain(t('appointment.watchStop')))
  expect(document.activeElement?.id).toBe('heading')
})
