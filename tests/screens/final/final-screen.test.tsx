// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import type { Portal } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'
import { data, openFinal, payment, says } from './final-screen-fixture.ts'

const queue = { appointmentDate: null, generalQueue: true }
let portal: Portal

afterEach(() => portal.close())

function section(id: string) {
  return Object.fromEntries(
    [...portal.main().querySelectorAll(`section[aria-labelledby="${id}-heading"] dl > div`)].map(row => [
      row.querySelector('dt')?.textContent,
      row.querySelector('dd')?.textContent,
    ]),
  )
}

describe('final screen', () => {
  const t = textsOf('fr')

  it('keeps a town and its number, as in Yaoundé 1er, on one line of the address (FIN07)', async () => {
    portal = await openFinal({ appointment: { addressOffice: 'Mairie de Yaoundé 1er, rue 12' } })
    expect(says('Mairie de Yaoundé\u00a01er, rue 12')).toBe(true)
    expect(section('appointment')[t('schedule.address')]).toBe('Mairie de Yaoundé\u00a01er, rue 12')
  })

  it('shows the current appointment when the URL names an old one (S56)', async () => {
    const listed = { id: 'app-1', applicationNumber: 'PP-1', currentState: 'APPOINTMENT_CHANGED' }
    portal = await openFinal({
      opening: {
        path: '/final/app-1/PP-1/apt-0',
        answer: ({ url }) =>
          url.includes('/applications?')
            ? { json: { data: [{ ...listed, appointment: { id: 'apt-1' } }] } }
            : undefined,
      },
    })
    expect(location.pathname).toBe('/final/app-1/PP-1/apt-1')
    await portal.see(() => expect(section('appointment')[t('schedule.time')]).toBe('09:30'))
  })

  it.each(['/appointment/app-1/PP-1', '/schedule/app-1/PP-1/apt-1'])(
    'redirects %s to the final screen once there is an appointment (S56)',
    async path => {
      const listed = { id: 'app-1', applicationNumber: 'PP-1', currentState: 'APPOINTMENT_SCHEDULED' }
      portal = await openFinal({
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
    portal = await openFinal({ appointment: queue })
    expect(says(t('final.queue'))).toBe(true)
    expect(says('À apporter au bureau')).toBe(true)
    await portal.close()
    portal = await openFinal()
    expect(says(t('final.queue'))).toBe(false)
  })

  it('lists in the general queue the papers of the day of the server (F13, S73)', async () => {
    portal = await openFinal({ appointment: queue })
    expect(says(t('paper.parentalConsent'))).toBe(true)
    await portal.close()
    // The clock of the phone is years behind: on the day of the server the applicant is of age.
    portal = await openFinal({
      appointment: queue,
      opening: {
        answer: ({ url }) =>
          url.endsWith('/version')
            ? { json: { data: { version: '1', features: [], time: '2050-06-15T09:00:00Z' } } }
            : undefined,
      },
    })
    await portal.see(() => expect(says(t('paper.parentalConsent'))).toBe(false))
    expect(says(t('paper.birthCertificate'))).toBe(true)
  })

  it('shows the number and what to do with the receipt (FIN01, FIN02)', async () => {
    portal = await openFinal()
    expect(says('PP-1')).toBe(true)
    expect(says(t('final.print'))).toBe(true)
  })

  it('shows the sections in their order, four of them collapsed (FIN04, FIN05)', async () => {
    portal = await openFinal()
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
    portal = await openFinal()
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
    portal = await openFinal({ appointment: { appointmentDate: null } })
    expect(section('appointment')[t('schedule.date')]).toBe(t('appointment.generalQueue'))
    expect(section('appointment')[t('schedule.time')]).toBeUndefined()
  })

  it('leaves out the office when the back end does not name it (FIN06, D67)', async () => {
    portal = await openFinal({ appointment: { nameOffice: null, city: null, country: null } })
    expect(Object.keys(section('appointment'))).not.toContain(t('schedule.office'))
    expect(section('appointment')[t('schedule.time')]).toBe('09:30')
  })

  it('shows the payment (FIN10, S62)', async () => {
    portal = await openFinal()
    const rows = section('payment')
    expect(rows[t('final.paymentStatus')]).toBe(t('status.SUCCESS'))
    expect(rows[t('final.paymentNumber')]).toBe('PO-7')
    expect(rows[t('final.paymentAmount')]?.replaceAll(/\s/g, ' ')).toBe('110 000 FCFA')
  })

  it('leaves out a missing payment number or payment (FIN10, S63)', async () => {
    portal = await openFinal({ payments: [{ ...payment, orderId: null }] })
    expect(Object.keys(section('payment'))).toEqual([t('final.paymentStatus'), t('final.paymentAmount')])
    await portal.close()
    portal = await openFinal({ payments: [] })
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
      portal = await openFinal({
        appointment: { changeAllowed: allowed },
        opening: { data: { ...data, changeAppointmentAccess: access } },
      })
      expect(says(t('button.changeAppointment'))).toBe(offered)
    },
  )

  it.each(['time', 'limit', 'state', undefined] as const)(
    'says why the appointment cannot be changed when the server says %s (FIN11)',
    async changeRefusal => {
      portal = await openFinal({ appointment: { changeAllowed: false, changeRefusal } })
      expect(says(t(`final.noChange.${changeRefusal ?? 'unknown'}`))).toBe(true)
    },
  )

  it('opens the change of this appointment (S60)', async () => {
    portal = await openFinal()
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
      portal = await openFinal({ opening: { language, data: { ...data, appointmentChangeCount } } })
      await portal.see(() => expect(says(text)).toBe(true))
    },
  )

  it('has the download as its only main button (FIN03, D134)', async () => {
    portal = await openFinal()
    const main = [...portal.main().querySelectorAll('[class*="primary"]')]
    expect(main.map(({ textContent }) => textContent)).toEqual([t('button.downloadPdf')])
  })

  it('opens the list on Close (FIN13)', async () => {
    portal = await openFinal()
    portal.button(t('button.close')).click()
    await portal.see(() => expect(location.pathname).toBe('/procedure'))
  })
})
