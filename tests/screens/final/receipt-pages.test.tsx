// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { emptyForm } from '#contract/application.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

// happy-dom draws no PDF.
vi.mock('#screens/final/pdf-drawing.ts', () => ({
  openPdf: async () => ({ pages: [{ pageNumber: 1 }] }),
  drawPage: () => () => undefined,
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
})
