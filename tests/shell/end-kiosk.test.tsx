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

/** Opens a kiosk in a tab that asks for the code of the office, and enters the right code. The test releases the answer. */
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
    if (!found) throw new Error('No field asks for the code of the office')
    return found
  })
  portal.typeInto(field, 'bureau-7431')
  await portal.see(() => expect(field.value).toBe('bureau-7431'))
  field.form?.requestSubmit()
  await portal.see(() => expect(check.isHeld()).toBe(true))
  return check
}

it('keeps the mode of a kiosk and its visit when the visitor presses "Keep" while the server checks the code (OFF18, D137)', async () => {
  const check = await enterRightCode()
  const keep = [...document.querySelectorAll('button')].find(
    ({ textContent }) => textContent === t('kiosk.keep'),
  )
  keep?.click()
  await portal.see(() => expect(document.querySelector('[name="kioskCode"]')).toBeNull())
  check.release()
  await settle()
  expect([portal.device.readText(deviceUseStorageKey), portal.services.session.state().kind]).toEqual([
    'kiosk:3',
    'signed-in',
  ])
})
