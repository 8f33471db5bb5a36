import { expect } from 'vitest'
import { toWire } from '#contract/application.ts'
import { minorWithRepresentative } from '#support/data/applicants.ts'
import { openPortal, type Portal, type PortalOptions } from '#support/fixtures/open-portal.tsx'

export const appointment = {
  id: 'apt-1',
  appointmentDate: '2026-12-01T09:30:00',
  country: 'Cameroun',
  city: 'Yaoundé',
  nameOffice: 'DGSN',
  addressOffice: 'Rue 1',
  changeAllowed: true,
}
export const payment = {
  id: 'pay-1',
  orderId: 'PO-7',
  paymentStatus: 'SUCCESS',
  amount: 110_000,
  currency: 'XAF',
}
/** The fields of the application on the server. */
export const data = {
  ...toWire({ ...minorWithRepresentative, selectNic: '2', nicNumber: '110', eppNumber: '01234567' }),
  changeAppointmentAccess: true,
  appointmentChangeCount: 1,
}

type Answers = { appointment?: object; payments?: object[]; opening?: Partial<PortalOptions> }

/** Opens the final screen and waits for its sections. Call `close` of the portal after the test. */
export async function openFinal({
  appointment: own = {},
  payments = [payment],
  opening = {},
}: Answers = {}): Promise<Portal> {
  const portal = await openPortal({
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
  try {
    await portal.see(() => expect(portal.main().querySelectorAll('dl').length).toBeGreaterThan(0))
    return portal
  } catch (error) {
    // The test has no portal that it could close.
    await portal.close()
    throw error
  }
}

/** Whether the screen shows the text. */
export function says(text: string): boolean {
  return (document.querySelector('main') ?? document.body).textContent.includes(text)
}
