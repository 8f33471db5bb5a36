// @vitest-environment happy-dom
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { useForm } from 'react-hook-form'
import { expect, it } from 'vitest'
import type { FormValues } from '#contract/application.ts'
import type { ApplicationForm } from '#screens/form/clear-fields.ts'
import { ApplicationId } from '#contract/ids.ts'
import { createKeeper } from '#screens/form/keeper.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import { createSync } from '#sync/engine.ts'
import { firstPassport } from '#support/applicants.ts'
import { createWoundDevice } from '#support/wound-device.ts'
import { createMemoryDrafts } from '../../sync/simulation.ts'

it('keeps and sends nothing from a tab that another took the form from, and says so (D32)', async () => {
  const known = newDraft({ values: firstPassport, tab: 'PersonData' })
  const stored = new Map<string, Draft>([['7', known]])
  const form = await openForm()
  const device = createWoundDevice()
  let isMine = true
  const keeper = createKeeper({
    services: {
      sync: createSync({
        device,
        random: () => 0.5,
        openDrafts: async () => createMemoryDrafts(stored, new Map()),
        call: async () => {
          throw new Error('nothing may be sent')
        },
        session: { state: () => ({ kind: 'signed-out' }), subscribe: () => () => undefined },
        line: { isDown: () => true, subscribe: () => () => undefined },
        takesDrafts: async () => true,
        onEvent: () => undefined,
      }),
    },
    appId: ApplicationId.parse('7'),
    form,
    known,
    tab: () => 'PersonData',
    isMine: () => isMine,
    isFaultless: () => true,
  })
  form.setValue('surname', 'Mbock')
  expect((await keeper.write()).kind).toBe('kept')
  isMine = false
  form.setValue('surname', 'Essomba')
  expect((await keeper.write()).kind).toBe('elsewhere')
  expect((await keeper.submit()).kind).toBe('not-kept')
  await keeper.choose(firstPassport)
  expect(stored.get('7')).toMatchObject({ values: { surname: 'Mbock' } })
  expect(stored.get('7')?.submitted).toBeUndefined()
  // Taken back, it is kept after all.
  isMine = true
  expect((await keeper.write()).kind).toBe('kept')
  expect(stored.get('7')?.values.surname).toBe('Essomba')
})

async function openForm(): Promise<ApplicationForm> {
  const opened: ApplicationForm[] = []
  function Holder() {
    opened.push(useForm<FormValues>({ defaultValues: firstPassport }))
    return null
  }
  createRoot(document.createElement('div')).render(createElement(Holder))
  await expect.poll(() => opened.length).toBeGreaterThan(0)
  const [form] = opened
  if (!form) throw new Error('no form was opened')
  return form
}
