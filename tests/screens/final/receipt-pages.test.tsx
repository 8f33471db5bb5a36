// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { emptyForm } from '#contract/application.ts'
import { drawForPaper } from '#screens/final/pdf-drawing.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { holdAnswer } from '#support/providers/fake-fetch.ts'
import { settle } from '#support/settle.ts'

// happy-dom draws no PDF.
vi.mock('#screens/final/pdf-drawing.ts', () => ({
  openPdf: async () => ({ pages: [{ pageNumber: 1 }] }),
  drawPage: () => () => undefined,
  drawForPaper: vi.fn<() => Promise<Blob[]>>(async () => []),
}))

const t = textsOf('fr')
let portal: Portal

afterEach(() => portal.close())

it('the pages of the receipt get the focus, because the button that shows them is gone (D37)', async () => {
  const receiptCode = 'https://portail.example.cm/verify#PP1.PP-1.abc.def'
  const appointment = { id: 'apt-1', appointmentDate: '2026-12-01T09:30:00', nameOffice: 'DGSN', receiptCode }
  portal = await openPortal({
    path: '/final/app-1/PP-1/apt-1',
    data: emptyForm(),
    state: 'APPOINTMENT_SCHEDULED',
    answer({ url }) {
      if (url.includes('/get-pdf')) return { text: '%PDF-1.7\n%%EOF' }
      return url.includes('/appointments/apt-1') ? { json: { data: appointment } } : undefined
    },
  })
  await portal.see(() => portal.button(t('button.showReceipt')).click())
  await portal.see(() => portal.button(t('final.showPages')).focus())
  portal.button(t('final.showPages')).click()
  const page = await portal.see(() => {
    const found = portal.main().querySelector('canvas')
    if (!found) throw new Error('No page is shown')
    return found
  })
  expect(document.activeElement).toBe(page.parentElement)
  expect(portal.main().textContent).not.toContain(t('final.showPages'))
})

describe('when the applicant logs out during an action with the receipt (D31)', () => {
  it.each(['button.print', 'button.share'] as const)(
    'no notice of %s hides that the session has ended',
    async label => {
      const receipt = await openWithLate('/get-pdf')
      portal.button(t(label)).click()
      await portal.see(() => expect(receipt.isHeld()).toBe(true))
      await portal.services.session.logOut()
      receipt.release()
      await settle()
      expect(portal.notices.state().last?.message).toEqual({ key: 'notice.loggedOut' })
    },
  )

  it('no notice of the calendar hides that the session has ended', async () => {
    const read = await openWithLate('/appointments/apt-1')
    const { queries, queryClient } = await portal.services.openQueries()
    void queryClient.invalidateQueries({ queryKey: queries.keyOf('appointment') })
    await portal.see(() => expect(read.isHeld()).toBe(true))
    portal.button(t('button.addToCalendar')).click()
    await portal.see(() => expect(portal.button(t('button.busy'))).toBeDefined())
    await portal.services.session.logOut()
    read.release()
    await settle()
    expect(portal.device.downloads).toEqual([])
    expect(portal.notices.state().last?.message).toEqual({ key: 'notice.loggedOut' })
  })

  it('prints nothing for the next person', async () => {
    const drawing = { end: (_pages: Blob[]) => {} }
    vi.mocked(drawForPaper).mockReturnValueOnce(new Promise(resolve => (drawing.end = resolve)))
    await openWithLate('nothing')
    let prints = 0
    portal.device.printPages = async () => void (prints += 1)
    portal.button(t('button.print')).click()
    await portal.see(() => expect(drawForPaper).toHaveBeenCalled())
    await portal.services.session.logOut()
    drawing.end([new Blob(['page'])])
    await settle()
    expect(prints).toBe(0)
    expect(portal.notices.state().last?.message).toEqual({ key: 'notice.loggedOut' })
  })
})

/** Opens the page on a phone that shares files. The answers to the requests whose address has `slow` come late. */
async function openWithLate(slow: string) {
  const late = holdAnswer()
  let isSlow = false
  const appointment = {
    id: 'apt-1',
    appointmentDate: '2026-12-01T09:30:00',
    timeZone: 'Africa/Douala',
    nameOffice: 'DGSN',
  }
  portal = await openPortal({
    path: '/help',
    data: emptyForm(),
    state: 'APPOINTMENT_SCHEDULED',
    answer({ url }) {
      const answer = url.includes('/get-pdf')
        ? { text: '%PDF-1.7\n%%EOF' }
        : url.includes('/appointments/apt-1') && { json: { data: appointment } }
      return answer && isSlow && url.includes(slow) ? late.hold(answer) : answer || undefined
    },
  })
  portal.device.canShareFiles = () => true
  await portal.router.navigate({ href: '/final/app-1/PP-1/apt-1' })
  await portal.heading(t('final.heading'))
  await portal.see(() => portal.button(t('button.addToCalendar')))
  isSlow = true
  return late
}
