// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { toWire } from '#contract/application.ts'
import { deviceUseStorageKey } from '#contract/codes.ts'
import { findSpokenTexts } from '#shell/read-aloud.ts'
import { minorWithRepresentative } from '#support/data/applicants.ts'
import { openPortal, type PortalOptions, type Portal } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'
import { holdAnswer } from '#support/providers/fake-fetch.ts'
import { settle } from '#support/settle.ts'

const appointment = {
  id: 'apt-1',
  appointmentDate: '2026-12-01T09:30:00',
  country: 'Cameroun',
  city: 'Yaoundé',
  nameOffice: 'DGSN',
  addressOffice: 'Rue 1',
  changeAllowed: true,
}
const payment = { id: 'pay-1', orderId: 'PO-7', paymentStatus: 'SUCCESS', amount: 110_000, currency: 'XAF' }
const data = {
  ...toWire({ ...minorWithRepresentative, selectNic: '2', nicNumber: '110', eppNumber: '01234567' }),
  changeAppointmentAccess: true,
  appointmentChangeCount: 1,
}
let portal: Portal

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
  return portal.close()
})

type Answers = { appointment?: object; payments?: object[]; opening?: Partial<PortalOptions> }

async function open({ appointment: own = {}, payments = [payment], opening = {} }: Answers = {}) {
  portal = await openPortal({
    path: '/final/app-1/PP-1/apt-1',
    data,
    state: 'APPOINTMENT_SCHEDULED',
    ...opening,
    answer(request) {
      if (request.url.includes('/appointments/apt-1')) return { json: { data: { ...appointment, ...own } } }
      if (request.url.includes('/payments?')) return { json: { data: payments } }
      return opening.answer?.(request)
    },
  })
  await portal.see(() => expect(portal.main().querySelectorAll('dl').length).toBeGreaterThan(0))
}

function section(id: string) {
  return Object.fromEntries(
    [...portal.main().querySelectorAll(`section[aria-labelledby="${id}-heading"] dl > div`)].map(row => [
      row.querySelector('dt')?.textContent,
      row.querySelector('dd')?.textContent,
    ]),
  )
}

function requestedPdf(): boolean {
  return portal.requests.some(({ url }) => url.includes('/get-pdf'))
}

function says(text: string): boolean {
  return portal.main().textContent.includes(text)
}

describe('final screen', () => {
  const t = textsOf('fr')

  it('keeps an ordinal of the address on the line of its town (FIN07)', async () => {
    await open({ appointment: { addressOffice: 'Mairie de Yaoundé 1er, rue 12' } })
    expect(says('Mairie de Yaoundé\u00a01er, rue 12')).toBe(true)
    expect(section('appointment')[t('schedule.address')]).toBe('Mairie de Yaoundé\u00a01er, rue 12')
  })

  it('shows the current appointment when the URL names an old one (S56)', async () => {
    const listed = { id: 'app-1', applicationNumber: 'PP-1', currentState: 'APPOINTMENT_CHANGED' }
    await open({
      opening: {
        path: '/final/app-1/PP-1/apt-0',
        answer: ({ url }) =>
          url.includes('/applications?')
            ? { json: { data: [{ ...listed, appointment: { id: 'apt-1' } }] } }
            : undefined,
      },
    })
    expect(location.pathname).toBe('/final/app-1/PP-1/apt-1')
  })

  it.each(['/appointment/app-1/PP-1', '/schedule/app-1/PP-1/apt-1'])(
    'redirects %s to the final screen once there is an appointment (S56)',
    async path => {
      const listed = { id: 'app-1', applicationNumber: 'PP-1', currentState: 'APPOINTMENT_SCHEDULED' }
      await open({
        opening: {
          path,
          answer: ({ url }) =>
            url.includes('/applications?')
              ? { json: { data: [{ ...listed, appointment: { id: 'apt-1' } }] } }
              : undefined,
        },
      })
      expect(location.pathname).toBe('/final/app-1/PP-1/apt-1')
    },
  )

  it('says how to come without an appointment time (FIN09)', async () => {
    await open({ appointment: { appointmentDate: null, generalQueue: true } })
    expect(says(t('final.queue'))).toBe(true)
    expect(says('À apporter au bureau')).toBe(true)
    await portal.close()
    await open()
    expect(says(t('final.queue'))).toBe(false)
  })

  it('shows the number and what to do with the receipt (FIN01, FIN02)', async () => {
    await open()
    expect(says('PP-1')).toBe(true)
    expect(says(t('final.print'))).toBe(true)
  })

  it('shows the sections in their order, four of them collapsed (FIN04, FIN05)', async () => {
    await open()
    const titles = [...portal.main().querySelectorAll('section h2, summary')].map(title => title.textContent)
    expect(titles).toEqual([
      t('section.biographic'),
      t('section.residence'),
      t('section.nic'),
      t('section.passport'),
      t('section.parents'),
      t('section.representative'),
      t('section.appointment'),
      t('section.payment'),
    ])
    const details = [...portal.main().querySelectorAll('details')]
    expect(details).toHaveLength(4)
    expect(details.filter(each => each.open)).toEqual([])
  })

  it('shows each part of the appointment (FIN07, FIN08)', async () => {
    await open()
    expect(section('appointment')).toEqual({
      [t('schedule.office')]: 'DGSN\u00a0– Yaoundé, Cameroun',
      [t('schedule.address')]: 'Rue 1',
      [t('schedule.year')]: '2026',
      [t('schedule.month')]: 'décembre',
      [t('schedule.date')]: '01',
      [t('schedule.time')]: '09:30',
    })
  })

  it('shows the general queue when there is no date (FIN09)', async () => {
    await open({ appointment: { appointmentDate: null } })
    expect(section('appointment')[t('schedule.date')]).toBe(t('appointment.generalQueue'))
    expect(section('appointment')[t('schedule.time')]).toBeUndefined()
  })

  it('leaves out the office when the back end does not name it (FIN06, D67)', async () => {
    await open({ appointment: { nameOffice: null, city: null, country: null } })
    expect(Object.keys(section('appointment'))).not.toContain(t('schedule.office'))
    expect(section('appointment')[t('schedule.time')]).toBe('09:30')
  })

  it('shows the payment (FIN10, S62)', async () => {
    await open()
    const rows = section('payment')
    expect(rows[t('final.paymentStatus')]).toBe(t('status.SUCCESS'))
    expect(rows[t('final.paymentNumber')]).toBe('PO-7')
    expect(rows[t('final.paymentAmount')]?.replaceAll(/\s/g, ' ')).toBe('110 000 FCFA')
  })

  it('leaves out a missing payment number or payment (FIN10, S63)', async () => {
    await open({ payments: [{ ...payment, orderId: null }] })
    expect(Object.keys(section('payment'))).toEqual([t('final.paymentStatus'), t('final.paymentAmount')])
    await portal.close()
    await open({ payments: [] })
    expect(section('payment')).toEqual({})
  })

  it.each([
    [true, true, true],
    [true, false, false],
    [false, true, false],
    [false, false, false],
  ])(
    'offers a change only when both flags allow it: access %s, change %s, offered %s (FIN11)',
    async (access, allowed, offered) => {
      await open({
        appointment: { changeAllowed: allowed },
        opening: { data: { ...data, changeAppointmentAccess: access } },
      })
      expect(says(t('button.changeAppointment'))).toBe(offered)
    },
  )

  it.each(['time', 'limit', 'state', undefined] as const)(
    'says why the appointment cannot be changed when the server says %s (FIN11)',
    async changeRefusal => {
      await open({ appointment: { changeAllowed: false, changeRefusal } })
      expect(says(t(`final.noChange.${changeRefusal ?? 'unknown'}`))).toBe(true)
    },
  )

  it('opens the change of this appointment (S60)', async () => {
    await open()
    portal.button(t('button.changeAppointment')).click()
    await portal.see(() => expect(location.pathname).toBe('/appointment/app-1/PP-1/apt-1'))
  })

  it.each([
    ['fr', 1, 'Vous pouvez modifier le rendez-vous une seule fois.'],
    ['fr', 2, 'Vous pouvez modifier le rendez-vous 2 fois seulement.'],
    ['en', 1, 'You can change appointment only 1 time.'],
    ['en', 2, 'You can change appointment only 2 time.'],
  ] as const)(
    'says in %s how many changes are allowed: %i (FIN12, S08, LIM06)',
    async (language, appointmentChangeCount, text) => {
      await open({ opening: { language, data: { ...data, appointmentChangeCount } } })
      await portal.see(() => expect(says(text)).toBe(true))
    },
  )

  it('has the download as its only main button (FIN03, D134)', async () => {
    await open()
    const main = [...portal.main().querySelectorAll('[class*="primary"]')]
    expect(main.map(({ textContent }) => textContent)).toEqual([t('button.downloadPdf')])
  })

  it('opens the list on Close (FIN13)', async () => {
    await open()
    portal.button(t('button.close')).click()
    await portal.see(() => expect(location.pathname).toBe('/procedure'))
  })
})

const appointmentRequests = () => portal.requests.filter(({ url }) => url.includes('/appointments/apt-1'))

/** An answer of the server that arrives when the test says so. */
function lateAnswer() {
  type Answer = { status?: number; json: object }
  let arrive: ((answer: Answer) => void) | undefined
  const answered = new Promise<Answer>(resolve => {
    arrive = resolve
  })
  return { answered, arrive: (answer: Answer) => arrive?.(answer) }
}

describe('receipt on the phone', () => {
  const t = textsOf('fr')
  const receiptCode = 'https://portail.example.cm/verify#PP1.PP-1.abc.def'
  const path = '/final/app-1/PP-1/apt-1'

  function code(): Element | null {
    return portal.main().querySelector(`svg[aria-label="${t('final.code')}"]`)
  }

  /**
   * Opens the screen, and then a new page that waits for the appointment. Returns the function that answers the first
   * request for the appointment. Later requests get no answer.
   */
  async function openAgain(own: object = {}) {
    await open({ appointment: { receiptCode, ...own } })
    const { applicant } = portal
    await portal.close()
    const { answered, arrive } = lateAnswer()
    let asked = 0
    portal = await openPortal({
      path: '/final/app-1/PP-1/apt-1',
      applicant,
      data,
      state: 'APPOINTMENT_SCHEDULED',
      answer: ({ url }) => {
        if (!url.includes('/appointments/apt-1')) return undefined
        asked += 1
        return asked > 1 ? 'hangs' : answered
      },
    })
    return arrive
  }

  /**
   * Opens the screen. The server answers the first requests for the appointment with `known`, the next one when the
   * returned function is called, and no later one.
   */
  async function openWithLateAnswer(known: object[]) {
    const { answered, arrive } = lateAnswer()
    const answers = [...known.map(each => ({ json: { data: each } })), answered]
    portal = await openPortal({
      path,
      data,
      state: 'APPOINTMENT_SCHEDULED',
      answer: ({ url }) => (url.includes('/appointments/apt-1') ? (answers.shift() ?? 'hangs') : undefined),
    })
    return arrive
  }

  /** Opens the screen, and comes back to it when the first answer is stale and the next one has not arrived. */
  async function comeBack(known: object) {
    const arrive = await openWithLateAnswer([known])
    await portal.see(() => expect(portal.main().querySelectorAll('dl').length).toBeGreaterThan(0))
    await portal.router.navigate({ href: '/procedure' })
    await portal.heading(t('procedure.heading'))
    // An answer of the last 2 s is not read again.
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.advanceTimersByTime(3_000)
    await portal.router.navigate({ href: path })
    await portal.heading(t('final.heading'))
    await portal.see(() => expect(appointmentRequests()).toHaveLength(2))
    return arrive
  }

  it('shows the number, the name, the time and the code without the PDF (D37)', async () => {
    await open({ appointment: { receiptCode } })
    portal.button(t('button.showReceipt')).click()
    await portal.see(() => expect(code()).not.toBeNull())
    const shown = code()?.parentElement
    expect(shown?.textContent).toBe(
      `PP-1${minorWithRepresentative.surname} ${minorWithRepresentative.givenName}mardi 1er décembre 2026, 09:30`,
    )
    await portal.see(async () => {
      await portal.device.advance(1)
      expect(document.activeElement).toBe(shown)
    })
    expect(requestedPdf()).toBe(false)
    // Nothing of it is read aloud: a stranger may stand beside a kiosk (NAV30).
    expect(shown && findSpokenTexts(shown)).toEqual([])
    portal.button(t('button.hideReceipt')).click()
    await portal.see(() => expect(code()).toBeNull())
  })

  it.each([
    ['has not arrived', false],
    ['is known without its code', true],
  ])('shows the code and not the PDF when the appointment %s at the tap (D37)', async (_, isKnown) => {
    const arrive = await (isKnown ? comeBack(appointment) : openWithLateAnswer([]))
    await portal.see(() => portal.button(t('button.showReceipt')).click())
    arrive({ json: { data: { ...appointment, receiptCode } } })
    await portal.see(() => expect(code()).not.toBeNull())
    expect(says(t('final.showPages'))).toBe(true)
    expect(requestedPdf()).toBe(false)
  })

  it('shows what this device has cached until the server answers, then what the server says (D37)', async () => {
    const arrive = await openAgain()
    await portal.see(() => expect(says('Rue 1')).toBe(true))
    portal.button(t('button.showReceipt')).click()
    await portal.see(() => expect(code()).not.toBeNull())
    expect(code()?.parentElement?.textContent).toContain('mardi 1er décembre 2026, 09:30')
    const appointmentDate = '2026-12-02T10:00:00'
    arrive({ json: { data: { ...appointment, receiptCode, appointmentDate } } })
    await portal.see(() =>
      expect(code()?.parentElement?.textContent).toContain('mercredi 2 décembre 2026, 10:00'),
    )
    expect(requestedPdf()).toBe(false)
  })

  it('shows nothing that this device has cached when the server refuses the appointment (D37)', async () => {
    const arrive = await openAgain()
    await portal.see(() => expect(says('Rue 1')).toBe(true))
    arrive({ status: 404, json: { statusCode: 404, data: { statusCode: 404 }, reason: 'not-found' } })
    await portal.see(() => expect(says('Rue 1')).toBe(false))
  })

  it('does not show the cached appointment again while the applicant retries after a refusal (D37)', async () => {
    const arrive = await openAgain()
    await portal.see(() => expect(says('Rue 1')).toBe(true))
    arrive({ status: 404, json: { statusCode: 404, data: { statusCode: 404 }, reason: 'not-found' } })
    await portal.see(() => expect(portal.button(t('button.retry'))).toBeDefined())
    portal.button(t('button.retry')).click()
    await portal.see(() => expect(appointmentRequests()).toHaveLength(2))
    expect(says('Rue 1')).toBe(false)
  })

  it.each([500, 503])(
    'still shows what this device has cached when the service answers %i, also during a retry (D37)',
    async status => {
      const arrive = await openAgain()
      await portal.see(() => expect(says('Rue 1')).toBe(true))
      arrive({ status, json: { statusCode: status } })
      await portal.see(() => expect(says(t('form.loadFailed'))).toBe(true))
      await portal.see(() => expect(says('Rue 1')).toBe(true))
      portal.button(t('button.retry')).click()
      await portal.see(() => expect(appointmentRequests()).toHaveLength(2))
      expect(says('Rue 1')).toBe(true)
      portal.button(t('button.showReceipt')).click()
      await portal.see(() => expect(code()).not.toBeNull())
    },
  )

  it('does not show the cached appointment on a later visit when the server has said that it does not exist (D37)', async () => {
    const arrive = await openAgain()
    await portal.see(() => expect(says('Rue 1')).toBe(true))
    arrive({ status: 404, json: { statusCode: 404, data: { statusCode: 404 }, reason: 'not-found' } })
    await portal.see(() => expect(portal.button(t('button.retry'))).toBeDefined())
    const { applicant } = portal
    await portal.close()
    portal = await openPortal({
      path: '/final/app-1/PP-1/apt-1',
      applicant,
      data,
      state: 'APPOINTMENT_SCHEDULED',
      answer: ({ url }) => (url.includes('/appointments/apt-1') ? 'no connection' : undefined),
    })
    await portal.see(() => expect(portal.button(t('button.retry'))).toBeDefined())
    expect(says('Rue 1')).toBe(false)
  })

  it('adds to the calendar what the server says, not what this device has cached (F7, D37)', async () => {
    const timeZone = 'Africa/Douala'
    const arrive = await openAgain({ timeZone })
    const files: Blob[] = []
    portal.device.download = file => void files.push(file)
    await portal.see(() => portal.button(t('button.addToCalendar')).click())
    const changed = { appointmentDate: '2026-12-02T10:00:00', timeZone }
    arrive({ json: { data: { ...appointment, receiptCode, ...changed } } })
    await portal.see(() => expect(files).toHaveLength(1))
    expect(await files[0]?.text()).toContain('20261202T100000')
  })

  it('adds to the calendar what the server says, not what an earlier visit has read (F7, D37)', async () => {
    const timeZone = 'Africa/Douala'
    const arrive = await comeBack({ ...appointment, timeZone })
    const files: Blob[] = []
    portal.device.download = file => void files.push(file)
    portal.button(t('button.addToCalendar')).click()
    await portal.see(() => expect(portal.button(t('button.busy'))).toBeDefined())
    expect(files).toEqual([])
    const changed = { appointmentDate: '2026-12-02T10:00:00', timeZone }
    arrive({ json: { data: { ...appointment, ...changed } } })
    await portal.see(() => expect(files).toHaveLength(1))
    expect(await files[0]?.text()).toContain('20261202T100000')
  })

  it('adds to the calendar what this device has cached when there is no connection (F7, D37)', async () => {
    await open({ appointment: { timeZone: 'Africa/Douala' } })
    const { applicant } = portal
    await portal.close()
    portal = await openPortal({
      path,
      applicant,
      data,
      state: 'APPOINTMENT_SCHEDULED',
      answer: () => 'no connection',
    })
    const files: Blob[] = []
    portal.device.download = file => void files.push(file)
    await portal.see(() => portal.button(t('button.addToCalendar')).click())
    await portal.see(() => expect(files).toHaveLength(1))
    expect(await files[0]?.text()).toContain('20261201T093000')
  })

  it('shows nothing of an earlier visit after the server has refused the appointment, also during a retry (D37)', async () => {
    const arrive = await comeBack({ ...appointment, receiptCode })
    portal.button(t('button.showReceipt')).click()
    await portal.see(() => expect(code()).not.toBeNull())
    expect(says('Rue 1')).toBe(true)
    arrive({ status: 404, json: { statusCode: 404, data: { statusCode: 404 }, reason: 'not-found' } })
    await portal.see(() => expect(says(t('form.loadFailed'))).toBe(true))
    await portal.see(() => expect([code() !== null, says('Rue 1')]).toEqual([false, false]))
    portal.button(t('button.retry')).click()
    await portal.see(() => expect(appointmentRequests()).toHaveLength(3))
    expect([code() !== null, says('Rue 1')]).toEqual([false, false])
  })

  it('still shows what an earlier visit has read when the service fails (D37)', async () => {
    const arrive = await comeBack({ ...appointment, receiptCode })
    portal.button(t('button.showReceipt')).click()
    arrive({ status: 503, json: { statusCode: 503 } })
    await portal.see(() => expect(says(t('form.loadFailed'))).toBe(true))
    await portal.see(() => expect([code() !== null, says('Rue 1')]).toEqual([true, true]))
  })

  it('shows the printed page after one more tap (D37)', async () => {
    await open({ appointment: { receiptCode } })
    portal.button(t('button.showReceipt')).click()
    await portal.see(() => expect(code()).not.toBeNull())
    portal.button(t('final.showPages')).click()
    await portal.see(() => expect(requestedPdf()).toBe(true))
  })

  it('stays hidden when the applicant hides it while the printed page opens (D37)', async () => {
    const { answered, arrive } = lateAnswer()
    const answer = ({ url }: { url: string }) => (url.includes('/get-pdf') ? answered : undefined)
    await open({ appointment: { receiptCode }, opening: { answer } })
    portal.button(t('button.showReceipt')).click()
    await portal.see(() => expect(code()).not.toBeNull())
    portal.button(t('final.showPages')).click()
    await portal.see(() => expect(requestedPdf()).toBe(true))
    portal.button(t('button.hideReceipt')).click()
    await portal.see(() => expect(code()).toBeNull())
    arrive({ status: 404, json: { statusCode: 404 } })
    await settle()
    expect(says(t('final.showFailed'))).toBe(false)
  })

  it('shows the printed page at once when the server sends no code (D5)', async () => {
    await open()
    portal.button(t('button.showReceipt')).click()
    await portal.see(() => expect(requestedPdf()).toBe(true))
    expect(code()).toBeNull()
  })
})

describe('the receipt on a kiosk (D38)', () => {
  it('is printed or shown, and never offered as a file', async () => {
    const t = textsOf('fr')
    await open()
    const labels = () => [...portal.main().querySelectorAll('button')].map(({ textContent }) => textContent)
    expect(labels()).toContain(t('button.downloadPdf'))
    portal.device.saveText(deviceUseStorageKey, 'kiosk:3') // a kiosk of office 3
    await portal.router.navigate({ href: '/help' })
    await portal.heading(t('help.heading'))
    await portal.router.navigate({ href: '/final/app-1/PP-1/apt-1' })
    await portal.heading(t('final.heading'))
    await portal.see(() => expect(labels()).toContain(t('button.print')))
    expect(labels()).toContain(t('button.showReceipt'))
    expect(labels()).not.toContain(t('button.downloadPdf'))
  })
})

describe('receipt download', () => {
  const t = textsOf('fr')

  it('downloads the receipt in the current language (FIN03)', async () => {
    await open({
      opening: { answer: ({ url }) => (url.includes('/get-pdf') ? { text: '%PDF-1.7\n%%EOF' } : undefined) },
    })
    portal.button(t('button.downloadPdf')).click()
    await portal.see(() => expect(portal.device.downloads).toEqual(['PP-1.pdf']))
    expect(portal.requests.map(({ url }) => url)).toContain('/api/v1/applications/app-1/get-pdf?lg=fr')
  })

  it('offers a plain HTML form when the download fails (S13)', async () => {
    await openWithoutPdf()
    portal.button(t('button.downloadPdf')).click()
    await portal.see(() => expect(says(t('final.downloadFailed'))).toBe(true))
    const form = portal.main().querySelector('form')
    expect(form?.method).toBe('post')
    expect(new URL(form?.action ?? '').pathname).toBe('/api/v1/applications/app-1/get-pdf/v2/PP-1.pdf')
    expect(form?.querySelector<HTMLInputElement>('[name="token"]')?.value).toBe('')
  })

  it('sends that form to the back end when it is on another origin (API13, S13, D5)', async () => {
    vi.stubEnv('VITE_API_ORIGIN', 'https://api.example')
    await openWithoutPdf()
    portal.button(t('button.downloadPdf')).click()
    await portal.see(() => expect(says(t('final.downloadFailed'))).toBe(true))
    const action = portal.main().querySelector('form')?.action
    expect(action).toBe('https://api.example/api/v1/applications/app-1/get-pdf/v2/PP-1.pdf')
  })

  it('sends a ticket in that form, not the access token, when the server gives tickets (S13)', async () => {
    await open({
      opening: {
        answer: ({ url }) => {
          if (url.endsWith('/version'))
            return { json: { data: { version: '1', features: ['receiptTicket'] } } }
          if (url.includes('/receipt-ticket')) return { json: { data: { ticket: 'rt.once' } } }
          return url.includes('/get-pdf') ? { status: 404, json: { statusCode: 404 } } : undefined
        },
      },
    })
    portal.button(t('button.downloadPdf')).click()
    await portal.see(() => expect(says(t('final.downloadFailed'))).toBe(true))
    const form = portal.main().querySelector('form')
    const sent: (string | undefined)[] = []
    if (form) form.submit = () => sent.push(form.querySelector<HTMLInputElement>('[name="token"]')?.value)
    portal.button(t('button.downloadPdf')).click()
    await portal.see(() => expect(sent).toEqual(['rt.once']))
    expect(form?.querySelector<HTMLInputElement>('[name="token"]')?.value).toBe('')
  })

  it('gives the focus to the button of that form, which replaces the pressed one (S13)', async () => {
    await openWithoutPdf()
    portal.button(t('button.downloadPdf')).focus()
    portal.button(t('button.downloadPdf')).click()
    await portal.see(() => expect(says(t('final.downloadFailed'))).toBe(true))
    expect(document.activeElement).toBe(portal.button(t('button.downloadPdf')))
  })

  it('sends that form once when the applicant presses twice before the ticket has come (S13)', async () => {
    const ticket = holdAnswer()
    await open({
      opening: {
        answer: ({ url }) => {
          if (url.endsWith('/version'))
            return { json: { data: { version: '1', features: ['receiptTicket'] } } }
          if (url.includes('/receipt-ticket')) return ticket.hold({ json: { data: { ticket: 'rt.once' } } })
          return url.includes('/get-pdf') ? { status: 404, json: { statusCode: 404 } } : undefined
        },
      },
    })
    portal.button(t('button.downloadPdf')).click()
    await portal.see(() => expect(says(t('final.downloadFailed'))).toBe(true))
    const form = portal.main().querySelector('form')
    let sentTimes = 0
    if (form) form.submit = () => void (sentTimes += 1)
    form?.requestSubmit()
    form?.requestSubmit()
    await portal.see(() => expect(ticket.isHeld()).toBe(true))
    ticket.release()
    await portal.see(() => expect(sentTimes).toBeGreaterThan(0))
    await settle()
    expect(sentTimes).toBe(1)
  })

  it('shows no notice about a ticket that comes after the log-out (S13, D31)', async () => {
    const later = { answer: () => {} }
    const held = new Promise<void>(resolve => (later.answer = resolve))
    await open({
      opening: {
        answer: ({ url }) => {
          if (url.endsWith('/version'))
            return { json: { data: { version: '1', features: ['receiptTicket'] } } }
          if (url.includes('/receipt-ticket'))
            return held.then(() => ({ json: { data: { ticket: 'rt.late' } } }))
          return url.includes('/get-pdf') ? { status: 404, json: { statusCode: 404 } } : undefined
        },
      },
    })
    portal.button(t('button.downloadPdf')).click()
    await portal.see(() => expect(says(t('final.downloadFailed'))).toBe(true))
    portal.button(t('button.downloadPdf')).click()
    const isAsked = () => portal.requests.some(({ url }) => url.includes('/receipt-ticket'))
    await portal.see(() => expect(isAsked()).toBe(true))
    await portal.services.session.logOut()
    later.answer()
    await settle()
    expect(portal.notices.state().last?.message).toEqual({ key: 'notice.loggedOut' })
  })
})

/** Opens the final page with a server that does not find the PDF. */
function openWithoutPdf() {
  return open({
    opening: {
      answer: ({ url }) =>
        url.includes('/get-pdf') ? { status: 404, json: { statusCode: 404 } } : undefined,
    },
  })
}
