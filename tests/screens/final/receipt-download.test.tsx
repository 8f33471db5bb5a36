// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { deviceUseStorageKey } from '#contract/codes.ts'
import type { Portal } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'
import { holdAnswer } from '#support/providers/fake-fetch.ts'
import { settle } from '#support/settle.ts'
import { openFinal, says } from './final-screen-fixture.ts'

let portal: Portal

afterEach(() => {
  vi.unstubAllEnvs()
  return portal.close()
})

describe('the receipt on a kiosk (D38)', () => {
  it('is printed or shown, and never offered as a file', async () => {
    const t = textsOf('fr')
    portal = await openFinal()
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
    portal = await openFinal({
      opening: { answer: ({ url }) => (url.includes('/get-pdf') ? { text: '%PDF-1.7\n%%EOF' } : undefined) },
    })
    portal.button(t('button.downloadPdf')).click()
    await portal.see(() => expect(portal.device.downloads).toEqual(['PP-1.pdf']))
    expect(portal.requests.map(({ url }) => url)).toContain('/api/v1/applications/app-1/get-pdf?lg=fr')
  })

  it('offers a plain HTML form when the download fails (S13)', async () => {
    portal = await openWithoutPdf()
    portal.button(t('button.downloadPdf')).click()
    await portal.see(() => expect(says(t('final.downloadFailed'))).toBe(true))
    const form = portal.main().querySelector('form')
    expect(form?.method).toBe('post')
    expect(new URL(form?.action ?? '').pathname).toBe('/api/v1/applications/app-1/get-pdf/v2/PP-1.pdf')
    expect(form?.querySelector<HTMLInputElement>('[name="token"]')?.value).toBe('')
  })

  it('sends that form to the back end when it is on another origin (API13, S13, D5)', async () => {
    vi.stubEnv('VITE_API_ORIGIN', 'https://api.example')
    portal = await openWithoutPdf()
    portal.button(t('button.downloadPdf')).click()
    await portal.see(() => expect(says(t('final.downloadFailed'))).toBe(true))
    const action = portal.main().querySelector('form')?.action
    expect(action).toBe('https://api.example/api/v1/applications/app-1/get-pdf/v2/PP-1.pdf')
  })

  it('sends a ticket in that form, not the access token, when the server gives tickets (S13)', async () => {
    portal = await openFinal({
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
    portal = await openWithoutPdf()
    portal.button(t('button.downloadPdf')).focus()
    portal.button(t('button.downloadPdf')).click()
    await portal.see(() => expect(says(t('final.downloadFailed'))).toBe(true))
    expect(document.activeElement).toBe(portal.button(t('button.downloadPdf')))
  })

  it('sends that form once when the applicant presses twice before the ticket has come (S13)', async () => {
    const ticket = holdAnswer()
    portal = await openFinal({
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
    portal = await openFinal({
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
  return openFinal({
    opening: {
      answer: ({ url }) =>
        url.includes('/get-pdf') ? { status: 404, json: { statusCode: 404 } } : undefined,
    },
  })
}
