// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest'
import { deviceUseStorageKey } from '#contract/codes.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { holdAnswer } from '#support/providers/fake-fetch.ts'
import { settle } from '#support/settle.ts'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

/** Opens a kiosk whose end was asked for in this tab, and enters a right code; the answer to it is held. */
async function enterRightCode() {
  const check = holdAnswer()
  portal = await openPortal({
    path: '/procedure',
    texts: { [deviceUseStorageKey]: 'kiosk:3' },
    tabTexts: { 'end-kiosk': '1' },
    answer({ url }) {
      if (url.endsWith('/kiosk/end')) return check.hold({ json: {} })
      const data = { version: '1', time: '2026-06-15T09:00:00Z', features: ['endKiosk'] }
      return url.includes('/version') ? { json: { data } } : undefined
    },
  })
  const field = await portal.see(() => {
    const found = document.querySelector<HTMLInputElement>('[name="kioskCode"]')
    if (!found) throw new Error('no field')
    return found
  })
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, 'bureau-7431')
  field.dispatchEvent(new Event('input', { bubbles: true }))
  await portal.see(() => expect(field.value).toBe('bureau-7431'))
  field.form?.requestSubmit()
  await portal.see(() => expect(check.isHeld()).toBe(true))
  return check
}

const use = () => portal.device.readText(deviceUseStorageKey)

it('a kiosk stays one, and the visit goes on, when the visitor keeps the mode while the server checks the code (OFF18, D137)', async () => {
  const check = await enterRightCode()
  const keep = [...document.querySelectorAll('button')].find(
    ({ textContent }) => textContent === t('kiosk.keep'),
  )
  keep?.click()
  await portal.see(() => expect(document.querySelector('[name="kioskCode"]')).toBeNull())
  check.release()
  await settle()
  expect([use(), portal.services.session.state().kind]).toEqual(['kiosk:3', 'signed-in'])
})
