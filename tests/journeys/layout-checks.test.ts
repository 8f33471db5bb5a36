import { expect, it } from 'vitest'
import { sharedChromium } from '#support/browsers/chromium.ts'
import { findLayoutFaultsOnPage } from '#support/checks/layout-faults.ts'

const button = '<button class="_primary_1" style="height: 48px">Pay</button>'
const row = (columns: string) =>
  `<div style="display: grid; grid-template-columns: ${columns}"><dt>Number</dt><dd style="margin: 0">6</dd></div>`
/** In every font, the first two words fill the first line. */
const paragraph = (end: string) =>
  `<p style="width: 21.2ch; text-wrap: wrap">0000000000 0000000000 ${end}</p>`
const select = (height: number) => `<select style="height: ${height}px"></select>`
const beside = (...selects: string[]) => `<div style="display: flex">${selects.join('')}</div>`
const number = (attribute: string) =>
  `<p style="width: 24ch">0000000000 <span ${attribute}>PP-2026-000001-7</span></p>`

it('the checks of every view find a second main button, uneven values and controls, a broken number, a single last word, a narrow button and a low target, and nothing else (D134)', async () => {
  const page = await (await sharedChromium()).newPage({ viewport: { width: 1280, height: 800 } })
  const find = async (content: string) => {
    await page.setContent(`<!doctype html><main>${content}</main>`)
    return (await findLayoutFaultsOnPage(page)).map(fault => fault.split(':')[0])
  }
  expect(await find(button + button)).toEqual(['main buttons'])
  expect(await find(`${button}<article>${button}</article>`)).toEqual([])
  expect(await find(`<dl>${row('1fr 2fr')}${row('1fr 3fr')}</dl>`)).toEqual(['uneven values'])
  expect(await find(`<dl>${row('1fr 2fr')}${row('1fr 2fr')}</dl>`)).toEqual([])
  expect(await find(beside(select(48), select(72)))).toEqual(['uneven controls'])
  expect(await find(beside(select(48), select(48)) + select(72))).toEqual([])
  expect(await find(number(''))).toEqual(['broken number'])
  expect(await find(number('style="display: inline-block"'))).toEqual([])
  expect(await find(number('').replace('24ch', '9ch'))).toEqual([])
  expect(await find(paragraph('00'))).toEqual(['a single word in the last line'])
  expect(await find(paragraph('00 00'))).toEqual([])
  const narrow = '<button class="_secondary_button" style="height: 48px">Pay</button>'
  expect(await find(narrow)).toEqual([])
  await page.setViewportSize({ width: 360, height: 640 })
  expect(await find(narrow)).toEqual(['narrow button'])
  expect(await find(narrow.replace('48px', '48px; width: 100%'))).toEqual([])
  expect(await find('<p><a href="/">Help</a></p>')).toEqual(['low target'])
  expect(await find('<p>Read <a href="/">the help</a>.</p>')).toEqual([])
  await page.close()
})
