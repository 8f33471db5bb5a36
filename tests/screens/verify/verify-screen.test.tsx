// @vitest-environment happy-dom
import { generateKeyPairSync } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { signReceipt } from '#server/features/receipt/qr-signature.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { holdAnswer } from '#support/providers/fake-fetch.ts'
import { settle } from '#support/settle.ts'

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

/** Opens the check of receipts on a phone that can read QR codes. */
async function openWithCamera() {
  portal = await openPortal({
    path: '/help',
    answer: ({ url }) =>
      url.endsWith('/version') ? { json: { data: { version: '1', features: [], receiptKey } } } : undefined,
  })
  portal.device.canReadQrCodes = () => true
  await portal.router.navigate({ href: '/verify' })
  await portal.heading(t('verify.heading'))
}

/** Chooses a picture. `read`: resolves to the code that the phone finds in it, or to undefined. */
async function takePicture(read: () => Promise<string | undefined>) {
  portal.device.readQrCode = read
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
  it('shows nothing of the previous receipt when the next picture has no code', async () => {
    await openWithCamera()
    await takePicture(async () => signReceipt(fields, privateKey))
    await portal.see(() => expect(portal.main().textContent).toContain(t('verify.genuine')))
    await takePicture(async () => undefined)
    await portal.see(() => expect(portal.fault('picture')).toBe(t('verify.noCode')))
    expect(portal.main().textContent).not.toContain(t('verify.genuine'))
    expect(portal.main().textContent).not.toContain(fields.name)
  })

  it('keeps the receipt of the newer picture when the phone finishes reading the older picture later', async () => {
    await openWithCamera()
    const slow = { end: (_code: string) => {} }
    await takePicture(() => new Promise(resolve => (slow.end = resolve)))
    await takePicture(async () => signReceipt({ ...fields, name: 'ABENA Paul' }, privateKey))
    await portal.see(() => expect(portal.main().textContent).toContain('ABENA Paul'))
    slow.end(signReceipt(fields, privateKey))
    await settle()
    expect(portal.main().textContent).toContain('ABENA Paul')
  })

  it('shows nothing of the previous receipt while the phone reads the next picture', async () => {
    await openWithCamera()
    await takePicture(async () => signReceipt(fields, privateKey))
    await portal.see(() => expect(portal.main().textContent).toContain(t('verify.genuine')))
    await takePicture(() => new Promise(() => {}))
    await portal.see(() => expect(portal.main().textContent).not.toContain(fields.name))
    expect(portal.main().textContent).not.toContain(t('verify.genuine'))
  })
})

it('asks the server for its keys before it calls a receipt forged: they may have changed since (F7, D110)', async () => {
  const old = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x
  let keys = [old]
  portal = await openPortal({
    path: '/help',
    answer: ({ url }) =>
      url.endsWith('/version')
        ? { json: { data: { version: '1', features: [], receiptKey: old, receiptKeys: keys } } }
        : undefined,
  })
  // An official has no session.
  await portal.services.session.logOut()
  await portal.router.navigate({ href: '/verify' })
  await portal.heading(t('verify.heading'))
  await portal.see(() => expect(portal.services.serverInfo.current().state).toBe('answered'))
  // The page stays open at the counter, and the operator changes the key.
  await portal.device.advance(11 * 60_000)
  keys = [receiptKey, old]
  portal.type('code', signReceipt(fields, privateKey))
  const seen: string[] = []
  const observer = new MutationObserver(() => seen.push(portal.main().textContent))
  observer.observe(document.body, { childList: true, characterData: true, subtree: true })
  portal.button(t('verify.check')).click()
  await portal.see(() => expect(portal.main().textContent).toContain(t('verify.genuine')))
  observer.disconnect()
  expect(seen.filter(text => text.includes(t('verify.forged')))).toEqual([])
})

it('calls a receipt unconfirmed without a connection, and asks for the keys again at the next check (F7, D110)', async () => {
  const old = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x
  let keys: (string | undefined)[] | undefined = [old]
  portal = await openPortal({
    path: '/help',
    answer({ url }) {
      if (!url.endsWith('/version')) return undefined
      if (!keys) return 'no connection'
      return { json: { data: { version: '1', features: [], receiptKey: old, receiptKeys: keys } } }
    },
  })
  await portal.services.session.logOut()
  await portal.router.navigate({ href: '/verify' })
  await portal.heading(t('verify.heading'))
  await portal.see(() => expect(portal.services.serverInfo.current().state).toBe('answered'))
  await portal.device.advance(11 * 60_000)
  keys = undefined
  portal.type('code', signReceipt(fields, privateKey))
  portal.button(t('verify.check')).click()
  // The receipt is genuine: only this device does not have its key yet.
  await portal.see(() => expect(portal.main().textContent).toContain(t('verify.unconfirmed')))
  expect(portal.main().textContent).not.toContain(t('verify.forged'))
  keys = [receiptKey, old]
  portal.button(t('verify.check')).click()
  await portal.see(() => expect(portal.main().textContent).toContain(t('verify.genuine')))
  const other = generateKeyPairSync('ed25519').privateKey
  portal.type('code', signReceipt(fields, other))
  portal.button(t('verify.check')).click()
  await portal.see(() => expect(portal.main().textContent).toContain(t('verify.forged')))
})
