// @vitest-environment happy-dom
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { useForm } from 'react-hook-form'
import { expect, it } from 'vitest'
import type { FormValues } from '#contract/application.ts'
import type { FormMethods } from '#screens/form/form-hooks.ts'
import { ApplicationId } from '#contract/ids.ts'
import { createDraftSync } from '#screens/form/draft-sync.ts'
import { digestOfForm } from '#contract/save-digest.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import { createSync } from '#sync/engine.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { createMemoryDrafts } from '../../sync/simulation.ts'

it('neither saves nor sends while another tab has the form, and returns that result (D32)', async () => {
  const lastKnown = newDraft({ values: firstPassport, tab: 'PersonData' })
  const stored = new Map<string, Draft>([['7', lastKnown]])
  const form = await openForm()
  const device = createFakeDevice()
  let hasTabLock = true
  const draftSync = createDraftSync({
    services: {
      sync: createSync({
        device,
        random: () => 0.5,
        openDrafts: async () => createMemoryDrafts(stored, new Map()),
        call: async () => {
          throw new Error('The test allows no call')
        },
        session: {
          state: () => ({ kind: 'signed-out' }),
          token: () => undefined,
          subscribe: () => () => undefined,
        },
        connectivity: { isUnreachable: () => true, subscribe: () => () => undefined },
        acceptsDrafts: async () => true,
        digestOfForm,
        onEvent: () => undefined,
        setUnloadWarning: () => undefined,
      }),
    },
    appId: ApplicationId.parse('7'),
    form,
    lastKnown,
    openFormTab: () => 'PersonData',
    hasTabLock: () => hasTabLock,
    isValid: () => true,
  })
  form.setValue('surname', 'Mbock')
  expect((await draftSync.save()).kind).toBe('saved')
  hasTabLock = false
  form.setValue('surname', 'Essomba')
  expect((await draftSync.save()).kind).toBe('other-tab')
  expect((await draftSync.submit()).kind).toBe('not-saved')
  await draftSync.resolveConflicts({ picked: firstPassport, shown: lastKnown })
  expect(stored.get('7')).toMatchObject({ values: { surname: 'Mbock' } })
  expect(stored.get('7')?.submitted).toBeUndefined()
  // After this tab has the form again, it saves the pending change.
  hasTabLock = true
  expect((await draftSync.save()).kind).toBe('saved')
  expect(stored.get('7')?.values.surname).toBe('Essomba')
})

async function openForm(): Promise<FormMethods> {
  const opened: FormMethods[] = []
  function Form() {
    opened.push(useForm<FormValues>({ defaultValues: firstPassport }))
    return null
  }
  createRoot(document.createElement('div')).render(createElement(Form))
  await expect.poll(() => opened.length).toBeGreaterThan(0)
  const [form] = opened
  if (!form) throw new Error('The form did not render')
  return form
}
