// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { findSpokenTexts } from '#shell/read-aloud.ts'
import { minorWithRepresentative } from '#support/data/applicants.ts'
import { openPortal, type Portal, type PortalOptions } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'
import { settle } from '#support/settle.ts'
import { appointment, data, openFinal, says } from './final-screen-fixture.ts'

let portal: Portal

afterEach(() => {
  vi.useRealTimers()
  return portal.close()
})

function requestedPdf(): boolean {
  return portal.requests.some(({ url }) => url.includes('/get-pdf'))
}

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

  /** Opens the screen in a new page of the same device, for the same applicant. */
  async function reopen(answer: NonNullable<PortalOptions['answer']>) {
    const { applicant } = portal
    await portal.close()
    portal = await openPortal({ path, applicant, data, state: 'APPOINTMENT_SCHEDULED', answer })
  }

  /**
   * Opens the screen, and then a new page that waits for the appointment. Returns the function that answers the first
   * request for the appointment. Later requests get no answer.
   */
  async function openAgain(own: object = {}) {
    portal = await openFinal({ appointment: { receiptCode, ...own } })
    const { answered, arrive } = lateAnswer()
    let asked = 0
    await reopen(({ url }) => {
      if (!url.includes('/appointments/apt-1')) return undefined
      asked += 1
      return asked > 1 ? 'hangs' : answered
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
    portal = await openFinal({ appointment: { receiptCode } })
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
    await reopen(({ url }) => (url.includes('/appointments/apt-1') ? 'no connection' : undefined))
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
    portal = await openFinal({ appointment: { timeZone: 'Africa/Douala' } })
    await reopen(() => 'no connection')
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
    portal = await openFinal({ appointment: { receiptCode } })
    portal.button(t('button.showReceipt')).click()
    await portal.see(() => expect(code()).not.toBeNull())
    portal.button(t('final.showPages')).click()
    await portal.see(() => expect(requestedPdf()).toBe(true))
  })

  it('stays hidden when the applicant hides it while the printed page opens (D37)', async () => {
    const { answered, arrive } = lateAnswer()
    const answer = ({ url }: { url: string }) => (url.includes('/get-pdf') ? answered : undefined)
    portal = await openFinal({ appointment: { receiptCode }, opening: { answer } })
    portal.button(t('button.showReceipt')).click()
    await portal.see(() => expect(code()).not.toBeNull())
    portal.button(t('final.showPages')).click()
    await portal.see(() => expect(requestedPdf()).toBe(true))
    portal.button(t('button.hideReceipt')).click()
    await portal.see(() => expect(code()).toBeNull())
    arrive({ status: 404, json: { statusCode: 404 } })
    await settle()
    expect(says(t('final.showFailed'))).toBe(false)
    expect(code()).toBeNull()
  })

  it('can be asked for again when the service fails, and this device has neither its code nor its page (D37)', async () => {
    portal = await openFinal()
    await reopen(({ url }) =>
      ['/appointments/apt-1', '/get-pdf'].some(each => url.includes(each))
        ? { status: 500, json: {} }
        : undefined,
    )
    await portal.heading(t('final.heading'))
    await portal.see(() => portal.button(t('button.showReceipt')))
    portal.button(t('button.showReceipt')).click()
    await portal.seeAsTimePasses(() => expect(portal.main().textContent).toContain(t('final.showFailed')))
    expect(portal.button(t('button.showReceipt')).getAttribute('aria-disabled')).toBeNull()
    const before = appointmentRequests().length
    portal.button(t('button.showReceipt')).click()
    await portal.seeAsTimePasses(() => expect(appointmentRequests().length).toBeGreaterThan(before))
  })

  it('shows the printed page at once when the server sends no code (D5)', async () => {
    portal = await openFinal()
    portal.button(t('button.showReceipt')).click()
    await portal.see(() => expect(requestedPdf()).toBe(true))
    expect(code()).toBeNull()
  })
})
