// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
let portal: Portal

afterEach(() => {
  vi.restoreAllMocks()
  return portal.close()
})

it('writes the draft once for each pause in typing (D30, D135)', async () => {
  portal = await openPortal({ path: '/form/app-1/PP-1/GeneralData' })
  await portal.see(() => expect(portal.main().querySelector('[name=travelDestination]')).not.toBeNull())
  await typeAndWait('G')
  const save = vi.spyOn(portal.services.sync, 'save')
  await typeAndWait('Ga')
  await typeAndWait('Gab')
  expect(save).toHaveBeenCalledTimes(2)
})

/** Types, and waits until the save status no longer says that the form is being saved. */
async function typeAndWait(text: string) {
  portal.type('travelDestination', text)
  await portal.see(() => expect(portal.main().textContent).toContain(t('form.keeping')))
  await portal.device.advance(150)
  await portal.see(() => expect(portal.main().textContent).not.toContain(t('form.keeping')))
}
