// @vitest-environment happy-dom
import { generateKeyPairSync } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { signReceipt } from '#server/features/receipt/qr-signature.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { holdAnswer } from '#support/providers/fake-fetch.ts'

const t = textsOf('fr')
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const receiptKey = publicKey.export({ format: 'jwk' }).x
const fields = {
  applicationNumber: 'PP-1',
  name: 'NGONO Awa',
  yearOfBirth: 1990,
  office: 'Yaoundé',
  date: '2026-12-01',
}
let portal: Portal

afterEach(() => portal.close())

/** Chooses a picture in which the phone finds this code, or none. */
async function takePicture(code: string | undefined) {
  portal.device.readQrCode = async () => code
  const input = portal.main().querySelector<HTMLInputElement>('[name="picture"]')
  Object.defineProperty(input, 'files', { value: [new Blob(['picture'])], configurable: true })
  input?.dispatchEvent(new Event('change', { bubbles: true }))
}

it('shows that a check waits for the keys of the server (F7)', async () => {
  const version = holdAnswer()
  portal = await openPortal({
    path: '/verify',
    answer: ({ url }) =>
      url.endsWith('/version')
        ? version.hold({ json: { data: { version: '1', features: [], receiptKey } } })
        : undefined,
  })
  await portal.heading(t('verify.heading'))
  portal.type('code', signReceipt(fields, privateKey))
  portal.button(t('verify.check')).click()
  await portal.see(() => expect(portal.button(t('button.busy')).getAttribute('aria-disabled')).toBe('true'))
  version.release()
  await portal.see(() => expect(portal.main().textContent).toContain(t('verify.genuine')))
})

describe('the check of a receipt by a picture (F7)', () => {
  it('shows nothing of the receipt before when the next picture has no code', async () => {
    portal = await openPortal({
      path: '/help',
      answer: ({ url }) =>
        url.endsWith('/version') ? { json: { data: { version: '1', features: [], receiptKey } } } : undefined,
    })
    portal.device.canReadQrCodes = () => true
    await portal.router.navigate({ href: '/verify' })
    await portal.heading(t('verify.heading'))
    await takePicture(signReceipt(fields, privateKey))
    await portal.see(() => expect(portal.main().textContent).toContain(t('verify.genuine')))
    await takePicture(undefined)
    await portal.see(() => expect(portal.fault('picture')).toBe(t('verify.noCode')))
    expect(portal.main().textContent).not.toContain(t('verify.genuine'))
    expect(portal.main().textContent).not.toContain(fields.name)
  })
})
