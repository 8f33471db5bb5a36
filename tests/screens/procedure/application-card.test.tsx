// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { newDraft } from '#store/draft.ts'
import { minorWithRepresentative } from '#support/data/applicants.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { openAttempt } from '#support/data/payment-answers.ts'
import { textsOf } from '#support/data/texts.ts'
import { holdAnswer } from '#support/providers/fake-fetch.ts'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

const office = { fr: 'Bureau de Yaoundé', en: 'Yaoundé office' }
const booked = {
  currentState: 'APPOINTMENT_SCHEDULED',
  appointment: { id: 'apt-1', appointmentDate: '2026-12-01T09:30:00', office },
  person: { surname: 'NGONO', givenName: 'Anaïs' },
  reason: '11214',
}

async function open(application: object) {
  const listed = { id: 'app-1', applicationNumber: 'PP-1', ...application }
  portal = await openPortal({
    path: '/procedure',
    answer: ({ url }) => (url.includes('/applications?') ? { json: { data: [listed] } } : undefined),
  })
  await portal.see(() => expect(portal.main().querySelector('article')).not.toBeNull())
}

function card(): string {
  return portal.main().querySelector('article')?.textContent ?? ''
}

function linksTo(path: string): string[] {
  return [...portal.main().querySelectorAll('article a')]
    .filter(link => link.getAttribute('href') === path)
    .map(link => link.textContent ?? '')
}

describe('the card of an application', () => {
  it('names the person, the reason, the appointment, the next act and the receipt (LST01, LST06)', async () => {
    await open(booked)
    expect(card()).toContain('NGONO Anaïs')
    const reason = { label: t('field.reason'), value: t('reason.11214') }
    expect(card()).toContain(t('procedure.answerLine', reason))
    expect(card()).toContain('mardi 1er décembre 2026, 09:30')
    expect(card()).toContain(office.fr)
    const links = linksTo('/final/app-1/PP-1/apt-1')
    expect(links.some(text => text.startsWith(t('procedure.open.final')))).toBe(true)
    expect(links.some(text => text.startsWith(t('button.showReceipt')))).toBe(true)
  })

  it('names the general queue for an appointment without a date (LST01)', async () => {
    await open({ ...booked, appointment: { ...booked.appointment, appointmentDate: null } })
    expect(card()).toContain(t('appointment.generalQueue'))
  })

  it('names no appointment that was cancelled, and no receipt (LST05)', async () => {
    await open({ ...booked, currentState: 'APPOINTMENT_CANCELED' })
    expect(card()).toContain('NGONO Anaïs')
    expect(card()).not.toContain(office.fr)
    expect(card()).not.toContain(t('button.showReceipt'))
  })

  it('has the number and the links, and names no general queue, when the server sends nothing else (LST01, D5)', async () => {
    await open({ currentState: 'APPOINTMENT_SCHEDULED', appointment: { id: 'apt-1' } })
    expect(card()).toContain('PP-1')
    expect(card()).not.toContain(t('appointment.generalQueue'))
    expect(linksTo('/final/app-1/PP-1/apt-1')).toHaveLength(2)
  })

  it('writes the day of a deletion in words, as it writes the day of an appointment (F12)', async () => {
    await open({ currentState: 'DATA_SAVED', deletionDate: '2026-12-01' })
    expect(card()).toContain(t('procedure.deletedUnpaid', { date: 'mardi 1er décembre 2026' }))
  })

  it('names the person of the draft on this device, which the server may not have yet', async () => {
    await open({ currentState: 'NEW' })
    const draft = newDraft({ values: { ...minorWithRepresentative, surname: 'ABENA' }, tab: 'PersonData' })
    await portal.store.drafts.update('app-1', () => draft)
    await portal.see(() => expect(card()).toContain(`ABENA ${minorWithRepresentative.givenName}`))
  })

  it('is on a page without the steps of one application (S22)', async () => {
    await open(booked)
    expect(document.querySelector(`nav[aria-label="${t('steps.label')}"]`)).toBeNull()
  })

  it('has the line of the payments before their answer, so that the link below it does not move (LST05, F1)', async () => {
    const payments = holdAnswer()
    const paid = { id: 'app-1', applicationNumber: 'PP-1', currentState: 'PAYMENT_DONE' }
    portal = await openPortal({
      path: '/procedure',
      answer: ({ url }) => {
        if (url.includes('/attempts'))
          return payments.hold({ json: { data: [{ ...openAttempt, state: 'SUCCESS', next: 'paid' }] } })
        return url.includes('/applications?') ? { json: { data: [paid] } } : undefined
      },
    })
    await portal.see(() => expect(linksTo('/appointment/app-1/PP-1')).toHaveLength(1))
    const line = portal.main().querySelector('article details')
    expect(line?.textContent).toContain(t('case.heading'))
    expect(line?.textContent).toContain(t('app.loading'))
    payments.release()
    await portal.see(() => expect(card()).toContain(openAttempt.orderNumber))
    expect(portal.main().querySelector('article details')).toBe(line)
    expect(card()).not.toContain(t('app.loading'))
  })

  it('asks for the appointment, not for a payment, when the payment ended after the list was read (F1, LST05)', async () => {
    const unpaid = { id: 'app-1', applicationNumber: 'PP-1', currentState: 'DATA_SAVED' }
    let isPaid = false
    portal = await openPortal({
      path: '/procedure',
      answer: ({ url }) => {
        if (url.includes('/attempts')) {
          isPaid = true
          return { json: { data: [{ ...openAttempt, state: 'SUCCESS', next: 'paid' }] } }
        }
        const currentState = isPaid ? 'PAYMENT_DONE' : 'DATA_SAVED'
        return url.includes('/applications?') ? { json: { data: [{ ...unpaid, currentState }] } } : undefined
      },
    })
    await portal.see(() => expect(linksTo('/appointment/app-1/PP-1')).toHaveLength(1))
    expect(linksTo('/payment/app-1/PP-1')).toEqual([])
  })

  it.each([
    ['two payments', [{ id: 'pay-2', state: 'SUCCESS', next: 'paid' }], 'case.double'],
    [
      'one payment of a refused application',
      [{ id: 'pay-2', state: 'ERROR', next: 'nothing-taken' }],
      'case.refund',
    ],
  ] as const)(
    'says of a refund after %s why the money goes back, and asks for no payment (F1)',
    async (_, others, why) => {
      const attempts = [{ ...openAttempt, state: 'REFUND_DUE', next: 'refund-due' }].concat(
        others.map(other => ({ ...openAttempt, ...other })),
      )
      const listed = { id: 'app-1', applicationNumber: 'PP-1', currentState: 'FAILED' }
      portal = await openPortal({
        path: '/procedure',
        answer: ({ url }) => {
          if (url.includes('/attempts')) return { json: { data: attempts } }
          return url.includes('/applications?') ? { json: { data: [listed] } } : undefined
        },
      })
      await portal.see(() => expect(card()).toContain(t('attemptNext.refund-due')))
      expect(portal.main().querySelector('article details h2')?.textContent).toBe(t(why))
      expect(card()).not.toContain(t('attemptNext.nothing-taken'))
    },
  )
})
