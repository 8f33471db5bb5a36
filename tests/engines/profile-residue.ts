import { expect } from 'vitest'
import { findTexts } from '#support/data/markers.ts'
import { until } from '#support/servers/portal.ts'
import { buttonName, textsOf } from '#support/data/texts.ts'
import type { EngineParts } from './engine-fixture.ts'
import { signInByPhone } from './journey.ts'
import { readMozLz4 } from './moz-lz4.ts'
import { createVisitor, type Visitor } from './visitor.ts'

const t = textsOf('fr')
const typed = {
  travelDestination: 'Zorvilande',
  reasonForTravel: 'Apprendre la zythologie',
  surname: 'Wakoubelle',
  givenName: 'Ysoldine',
} as const
const email = 'ysoldine.fx@exemple-marque.cm'

/**
 * Signs in on a shared device, fills in a part of a form, asks for a second contact, logs out and ends the browser. Then
 * expects that no file of the profile has a typed answer, a contact, the application number or its id. The search does not
 * look into values that Firefox compresses with Snappy (large rows of IndexedDB), nor into compressed files of its cache.
 */
export async function expectNoResidue({ browser, portal, proxy, phone }: EngineParts): Promise<void> {
  const visitor = createVisitor(await browser.start())
  await visitor.page.open(`${proxy.origin}/?shared=1`)
  await visitor.press('button', 'FR')
  await signInByPhone(visitor, { portal, phone })
  await fillPart(visitor)
  const ids = await collectIds(visitor)
  await visitor.page.open(`${proxy.origin}/procedure`)
  await visitor.heading(t('procedure.heading'))
  const number = await until(
    'the application number',
    async () =>
      /\b[A-Z]{2}-\d{4}-\d{6}-\d\b/.exec(String(await visitor.page.evaluate('document.body.innerText')))?.[0],
  )
  await askForSecondContact(visitor, { portal, phone })
  await visitor.press('button', t('button.logOut'))
  await visitor.heading(t('welcome.heading'))
  await browser.quit()
  expect(ids.length).toBeGreaterThan(0)
  // The search finds what Firefox does keep: the readable part of the history.
  expect(findTexts(browser.profile, ['/procedure'], readMozLz4).join()).toContain('places.sqlite')
  const texts = [...Object.values(typed), email, phone, number, ...ids]
  expect(findTexts(browser.profile, texts, readMozLz4)).toEqual([])
}

async function fillPart(visitor: Visitor) {
  await visitor.press('button', buttonName(t, 'procedure.new'))
  await visitor.heading(t('tab.GeneralData'))
  await visitor.choose({ name: 'reason' }, { index: 1 })
  for (const name of ['travelDestination', 'reasonForTravel'] as const)
    await visitor.write({ name }, typed[name])
  await visitor.press('button', t('button.continue'))
  await visitor.heading(t('tab.PersonData'))
  for (const name of ['surname', 'givenName'] as const) await visitor.write({ name }, typed[name])
}

/** Sends the form of a second contact, because Firefox saves the texts of a form that is sent. */
async function askForSecondContact(
  visitor: Visitor,
  { portal, phone }: Pick<EngineParts, 'portal' | 'phone'>,
) {
  await visitor.press('button', t('procedure.addEmail'))
  await visitor.press('button', t('button.continue'))
  await visitor.write({ name: t('password.code') }, await portal.codeFor(`237${phone}`))
  await visitor.press('button', t('button.continue'))
  await visitor.write({ name: 'email' }, email)
  await visitor.press('button', t('button.continue'))
  await visitor.field(t('password.code'))
}

/** Returns the ids in the addresses that this page has requested. */
async function collectIds(visitor: Visitor): Promise<string[]> {
  const addresses = await visitor.page.evaluate(
    `performance.getEntriesByType('resource').map(entry => entry.name).join(' ')`,
  )
  const found = String(addresses).matchAll(/\/applications\/([\da-f]{8}-[\da-f-]{27})/g)
  return [...new Set([...found].map(([, id = '']) => id))]
}
