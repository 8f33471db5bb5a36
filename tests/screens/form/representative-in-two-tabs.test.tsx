// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest'
import { clearHidden, type FormValues, toWire } from '#contract/application.ts'
import { minorWithRepresentative } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

/** The form of a child that does not say yet whether there is a representative. */
const child: FormValues = clearHidden({ ...minorWithRepresentative, addReprData: '' })

async function savedAnswers() {
  return (await portal.store.drafts.read('app-1'))?.values
}

it('keeps the No of another browser tab when the applicant reads the Parent tab here in the meantime (D32, REP15)', async () => {
  portal = await openPortal({
    path: '/form/app-1/PP-1/PersonData',
    data: { ...toWire(child), additionalData: '' },
  })
  await portal.see(() => expect(portal.named('surname').value).toBe(child.surname))
  portal.answer('surname', 'Mbock')
  await portal.see(async () => expect((await savedAnswers())?.surname).toBe('Mbock'))

  // Another browser tab opens the form, and the applicant answers the question there.
  portal.device.receiveBroadcast({ kind: 'take-over', form: 'app-1' })
  await portal.see(() => expect(portal.main().textContent).toContain(t('form.elsewhere')))
  await portal.store.drafts.update(
    'app-1',
    saved => saved && { ...saved, values: { ...saved.values, addReprData: 'NO' } },
  )
  await portal.router.navigate({ href: '/form/app-1/PP-1/ParentData' })
  await portal.heading(t('tab.ParentData'))

  portal.button(t('form.takeBack')).click()
  await portal.see(() => expect(portal.main().textContent).not.toContain(t('form.elsewhere')))
  await portal.device.advance(1_000)
  await portal.see(() => expect(portal.main().textContent).not.toContain(t('form.keeping')))
  expect((await savedAnswers())?.addReprData).toBe('NO')
})
