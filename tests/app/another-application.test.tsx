// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal, type PortalOptions } from '#support/fixtures/open-portal.tsx'
import type { FakeRequest } from '#support/providers/fake-fetch.ts'
import { stopDateInEachTest } from './stopped-date.ts'

const t = textsOf('fr')
let portal: Portal

stopDateInEachTest(() => portal.close())

const offices = { countries: [{ id: 10998, name: 'Cameroun' }], cities: [{ id: 1, name: 'Yaoundé' }] }
const office = { id: 1, name: 'Bureau', address: 'Etoudi' }
const saved = { additionalData: '', version: 4, changeAppointmentAccess: true }
const visit = {
  appointmentDate: '2026-06-16T07:30:00',
  country: 'Cameroun',
  city: 'Yaoundé',
  nameOffice: 'Bureau',
  holdSeconds: 500,
  changeAllowed: true,
}

const answers: Record<string, unknown> = {
  '/payments': [],
  '/payments/payment-methods': ['MOBILE', 'MOCK'].map(type => ({
    type,
    enable: true,
    fee: 110_000,
    currency: 'XAF',
  })),
  '/appointments/countries': { data: offices.countries },
  '/appointments/countries/10998/cities': { data: offices.cities },
  '/appointments/offices': { data: [office] },
  '/appointments/offices/1/available-dates': { data: ['2026-06-16'] },
  '/appointments/offices/1/available-slots': { data: ['08:00:00', '09:30:00'] },
}

/** The address of the screen for the application of this number. */
type Address = (number: 1 | 2) => string

const addresses = {
  payment: number => `/payment/app-${number}/PP-${number}`,
  confirm: number => `/confirm/app-${number}/PP-${number}`,
  appointment: number => `/appointment/app-${number}/PP-${number}`,
  change: number => `/appointment/app-${number}/PP-${number}/visit-${number}`,
  schedule: number => `/schedule/app-${number}/PP-${number}/visit-${number}`,
  final: number => `/final/app-${number}/PP-${number}/visit-${number}`,
} as const satisfies Record<string, Address>

/** Opens the screen for the second application, then for the first one. */
async function openBoth(address: Address, state: string, answer?: PortalOptions['answer']) {
  portal = await openPortal({
    path: address(2),
    answer: request => answer?.(request) ?? answerOf(request, state),
  })
  await portal.see(() => expect(portal.main().querySelector('button')).not.toBeNull())
  await open(address(1))
}

async function open(address: string) {
  await portal.router.navigate({ href: address })
  await portal.see(() => expect(location.pathname).toBe(address))
}

function answerOf({ url, method }: FakeRequest, currentState: string) {
  const path = pathOf(url)
  const [, number] = /app(?:lications\/app)?-(\d)/.exec(path) ?? []
  const listed = [1, 2].map(each => ({
    id: `app-${each}`,
    applicationNumber: `PP-${each}`,
    currentState,
    ...(currentState === 'APPOINTMENT_SCHEDULED' && { appointment: { id: `visit-${each}` } }),
  }))
  if (path === '/applications' && method === 'GET') return { json: { data: listed } }
  if (path === `/applications/app-${number}/data` && method === 'GET')
    return { json: { data: { ...toWire({ ...firstPassport, surname: `Ngo ${number}` }), ...saved } } }
  if (path.startsWith('/appointments/visit-') && method === 'GET')
    return { json: { data: { ...visit, id: path.split('/')[2] } } }
  return path in answers ? { json: { data: answers[path] } } : undefined
}

function pathOf(url: string) {
  return new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')
}

const postsTo = (part: string) =>
  portal.requests.filter(({ method, url }) => method === 'POST' && url.includes(part))

describe('a screen whose address changes to another application of the applicant', () => {
  it('keeps no payment method and no number for the next application (PAY03)', async () => {
    await openBoth(addresses.payment, 'DATA_SAVED')
    await portal.see(() => portal.choose('type', 'MOBILE'))
    await portal.see(() => portal.type('phone', '677123456'))
    expect(portal.main().querySelector('[name="type"]:checked')).not.toBeNull()
    await open(addresses.payment(2))
    await portal.see(() => expect(portal.main().querySelector('[value="MOBILE"]')).not.toBeNull())
    await portal.see(() => expect(portal.main().querySelector('[name="phone"]')).toBeNull())
    expect(portal.main().querySelector('[name="type"]:checked')).toBeNull()
  })

  it('confirms the application that it shows (CNF08)', async () => {
    await openBoth(addresses.confirm, 'NEW')
    await portal.see(() => expect(portal.main().textContent).toContain('Ngo 1'))
    await open(addresses.confirm(2))
    await portal.see(() => expect(portal.main().textContent).toContain('Ngo 2'))
    await portal.see(() => portal.button(t('button.confirm')).click())
    await portal.see(() => expect(postsTo('/confirmData')).toHaveLength(1))
    const [confirmation] = postsTo('/confirmData')
    expect(confirmation?.url).toContain('/applications/app-2/')
    expect(confirmation?.body).toMatchObject({ surname: 'Ngo 2' })
  })

  it.each([
    ['book', addresses.appointment, 'PAYMENT_DONE'],
    ['change', addresses.change, 'APPOINTMENT_SCHEDULED'],
  ] as const)(
    'keeps no chosen time for the next application to %s (APT04)',
    async (_name, address, state) => {
      await openBoth(address, state)
      await portal.see(() => expect(portal.named('time').value).toBe('08:00:00'))
      portal.answer('time', '09:30:00')
      await portal.see(() => expect(portal.named('time').value).toBe('09:30:00'))
      await open(address(2))
      await portal.see(() => expect(portal.named('time').value).toBe('08:00:00'))
    },
  )

  it('confirms the next reservation with a key of its own (D13)', async () => {
    await openBoth(addresses.schedule, 'PAYMENT_DONE', ({ url }) =>
      url.includes('/confirm') ? 'no connection' : undefined,
    )
    const finalize = async (presses: number) => {
      await portal.see(() => expect(isFree(t('button.finalize'))).toBe(true))
      portal.button(t('button.finalize')).click()
      await portal.see(() => expect(postsTo('/confirm')).toHaveLength(presses))
      await portal.see(() => expect(isFree(t('button.finalize'))).toBe(true))
    }
    await finalize(1)
    await open(addresses.schedule(2))
    await finalize(2)
    const sent = postsTo('/confirm')
    expect(sent.map(({ url }) => pathOf(url))).toEqual(
      [1, 2].map(each => `/appointments/visit-${each}/confirm`),
    )
    const [first, second] = sent.map(({ headers }) => headers.get('idempotency-key'))
    expect(first).not.toBeNull()
    expect(second).not.toBeNull()
    expect(second).not.toBe(first)
  })

  it('shares the receipt of the application that it shows, not of the one that it showed before (F7)', async () => {
    await openBoth(addresses.final, 'APPOINTMENT_SCHEDULED', ({ url }) => {
      const [, number] = /app-(\d)\/get-pdf/.exec(url) ?? []
      return number === undefined ? undefined : { text: `%PDF-1.7\nreceipt of ${number}\n%%EOF` }
    })
    const shared: string[][] = []
    portal.device.canShareFiles = () => true
    portal.device.shareFile = async (file, name) => {
      shared.push([name, await file.text()])
      return true
    }
    await open('/procedure')
    for (const number of [1, 2] as const) {
      await open(addresses.final(number))
      await portal.see(() => expect(isFree(t('button.share'))).toBe(true))
      const countBefore = shared.length
      portal.button(t('button.share')).click()
      await portal.see(() => expect(shared).toHaveLength(countBefore + 1))
    }
    expect(shared).toEqual(
      [1, 2].map(each => [`PP-${each}.pdf`, expect.stringContaining(`receipt of ${each}`)]),
    )
  })
})

function isFree(label: string): boolean {
  return portal.button(label).getAttribute('aria-disabled') === null
}
