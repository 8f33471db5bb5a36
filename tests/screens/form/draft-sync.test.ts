// @vitest-environment happy-dom
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { useForm } from 'react-hook-form'
import { expect, it } from 'vitest'
import type { FormValues } from '#contract/application.ts'
import type { ApplicationForm } from '#screens/form/clear-fields.ts'
import { ApplicationId } from '#contract/ids.ts'
import { createDraftSync } from '#screens/form/draft-sync.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import { createSync } from '#sync/engine.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { createMemoryDrafts } from '../../sync/simulation.ts'

it('keeps and sends nothing from a tab that another took the form from, and says so (D32)', async () => {
  const lastKnown = newDraft({ values: firstPassport, tab: 'PersonData' })
  const stored = new Map<string, Draft>([['7', lastKnown]])
  const form = await openForm()
  const device = createFakeDevice()
  let isMine = true
  const keeper = createDraftSync({
    services: {
      sync: createSync({
        device,
        random: () => 0.5,
        openDrafts: async () => createMemoryDrafts(stored, new Map()),
        call: async () => {
          throw new Error('nothing may be sent')
        },
        session: { state: () => ({ kind: 'signed-out' }), subscribe: () => () => undefined },
        connectivity: { isUnreachable: () => true, subscribe: () => () => undefined },
        acceptsDrafts: async () => true,
        onEvent: () => undefined,
      }),
    },
    appId: ApplicationId.parse('7'),
    form,
    lastKnown,
    tab: () => 'PersonData',
    hasTabLock: () => isMine,
    isValid: () => true,
  })
  form.setValue('surname', 'Mbock')
  expect((await keeper.save()).kind).toBe('kept')
  isMine = false
  form.setValue('surname', 'Essomba')
  expect((await keeper.save()).kind).toBe('elsewhere')
  expect((await keeper.submit()).kind).toBe('not-kept')
  await keeper.resolveConflicts(firstPassport)
  expect(stored.get('7')).toMatchObject({ values: { surname: 'Mbock' } })
  expect(stored.get('7')?.submitted).toBeUndefined()
  // Taken back, it is kept after all.
  isMine = true
  expect((await keeper.save()).kind).toBe('kept')
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
