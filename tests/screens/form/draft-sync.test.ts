// @vitest-environment happy-dom
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { useForm } from 'react-hook-form'
import { beforeEach, expect, it } from 'vitest'
import type { FormValues } from '#contract/application.ts'
import type { FormMethods } from '#screens/form/form-hooks.ts'
import { ApplicationId } from '#contract/ids.ts'
import { createDraftSync, type DraftSync } from '#screens/form/draft-sync.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import type { Sync } from '#sync/engine.ts'
import type { SyncStatus } from '#sync/sync-status.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { createOfflineSync } from '#support/fixtures/signed-in-sync.ts'
import { createMemoryDrafts } from '../../sync/simulation.ts'

const lastKnown = newDraft({ values: firstPassport, tab: 'PersonData' })
let stored: Map<string, Draft>
let form: FormMethods
let hasTabLock: boolean
let draftSync: DraftSync

beforeEach(async () => {
  stored = new Map([['7', lastKnown]])
  form = await openForm()
  hasTabLock = true
  draftSync = openDraftSync({ hasTabLock: () => hasTabLock })
})

/** Another tab saves these answers. */
function saveInOtherTab(values: Partial<FormValues>) {
  const draft = stored.get('7') ?? lastKnown
  stored.set('7', { ...draft, values: { ...draft.values, ...values } })
}

it('neither saves nor submits while another tab has the form, and says so in its results (D32)', async () => {
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

it('keeps the newest answer of another tab, although a field was edited during a save (D32)', async () => {
  saveInOtherTab({ surname: 'Tiers', givenName: 'Autre' })
  form.setValue('travelDestination', 'Gabon')
  const saving = draftSync.save()
  form.setValue('surname', 'Mbock')
  await saving
  expect(form.getValues('givenName')).toBe('Autre')
  saveInOtherTab({ givenName: 'Dernier' })
  await draftSync.save()
  expect(stored.get('7')?.values).toMatchObject({
    surname: 'Mbock',
    givenName: 'Dernier',
    travelDestination: 'Gabon',
  })
})

it.each<[string, Partial<FormValues>, Partial<FormValues>]>([
  ['date', { dayOfBirth: '12', monthOfBirth: '05', yearOfBirth: '1988' }, { yearOfBirth: '1991' }],
  ['phone number', { dialCode: '33', phoneNumber: '612345678' }, { phoneNumber: '699112233' }],
  ['place', { placeOfBirth: '11000', regionCode: '', city: 'Paris' }, { regionCode: 'WEST' }],
])('never mixes the %s of another tab with the one typed during a save (D32)', async (_, other, typed) => {
  saveInOtherTab(other)
  form.setValue('travelDestination', 'Gabon')
  const saving = draftSync.save()
  for (const [field, answer] of Object.entries(typed)) form.setValue(field as keyof FormValues, answer)
  await saving
  expect(form.getValues()).toEqual({ ...firstPassport, travelDestination: 'Gabon', ...typed })
  await draftSync.save()
  expect(stored.get('7')?.values).toEqual({ ...firstPassport, travelDestination: 'Gabon', ...typed })
})

it('distinguishes a change of another tab from its own running write (D32)', async () => {
  const sync = openSync()
  let shown = lastKnown
  draftSync = openDraftSync({
    services: { sync: { ...sync, status: () => ({ kind: 'unsent', draft: shown }) } },
  })
  form.setValue('surname', 'Mbock')
  const saving = draftSync.save()
  shown = { ...lastKnown, values: { ...firstPassport, surname: 'Mbock' } }
  expect(draftSync.isOutdated()).toBe(false)
  shown = { ...lastKnown, values: { ...firstPassport, surname: 'Mbock', givenName: 'Autre' } }
  expect(draftSync.isOutdated()).toBe(true)
  await saving
  expect(draftSync.isOutdated()).toBe(true)
})

it('finds once that the device has lost a draft with unsent answers, and not before it has read one (D30)', () => {
  const base = { version: 1, additionalData: '', values: firstPassport, at: 1 }
  const unsent = { ...lastKnown, values: { ...firstPassport, surname: 'Mbock' }, base }
  let status: SyncStatus = { kind: 'none' }
  let isSignedIn = true
  draftSync = openDraftSync({
    services: { sync: { ...openSync(), status: () => status } },
    lastKnown: unsent,
    isSignedIn: () => isSignedIn,
  })
  const after = (...statuses: SyncStatus[]) =>
    statuses.map(each => {
      status = each
      return draftSync.takeLoss()
    })
  expect(after({ kind: 'none' })).toEqual([false])
  expect(after({ kind: 'unsent', draft: unsent }, { kind: 'none' }, { kind: 'none' })).toEqual([
    false,
    true,
    false,
  ])
  const sent = { ...unsent, values: firstPassport }
  expect(after({ kind: 'sent', draft: sent, at: 1 }, { kind: 'none' })).toEqual([false, false])
  const gone = { ...unsent, stuck: { kind: 'gone' as const } }
  expect(after({ kind: 'stuck', stuck: gone.stuck, draft: gone }, { kind: 'none' })).toEqual([false, false])
  expect(after({ kind: 'unsent', draft: unsent })).toEqual([false])
  isSignedIn = false
  expect(after({ kind: 'none' })).toEqual([false])
})

it('D33 lets a Submit wait while the saved answers have a fault, although the form has none any more', async () => {
  stored.set('7', { ...lastKnown, submitted: true })
  draftSync = openDraftSync({ isValid: ({ surname }) => surname !== '' })
  form.setValue('surname', '')
  const saving = draftSync.save()
  // The applicant types on during the write.
  form.setValue('surname', 'M')
  await saving
  expect(stored.get('7')).toMatchObject({ values: { surname: '' }, submitted: true, faulty: true })
  await draftSync.save()
  expect(stored.get('7')?.faulty).toBeUndefined()
})

it('D33 lets a Submit wait while an answer of another tab has a fault', async () => {
  stored.set('7', { ...lastKnown, submitted: true })
  draftSync = openDraftSync({ isValid: ({ surname }) => surname !== '' })
  saveInOtherTab({ surname: '' })
  form.setValue('givenName', 'Autre')
  await draftSync.save()
  expect(stored.get('7')).toMatchObject({ values: { surname: '', givenName: 'Autre' }, faulty: true })
})

it('D32 D33 keeps what the applicant types again while a Submit still waits for its answer', async () => {
  const sync = openSync()
  const answers: ((status: SyncStatus) => void)[] = []
  const submit = () => new Promise<SyncStatus>(resolve => void answers.push(resolve))
  draftSync = openDraftSync({ services: { sync: { ...sync, submit } } })
  const submitting = draftSync.submit()
  form.setValue('surname', 'Mbock')
  await draftSync.save()
  const draft = stored.get('7') ?? lastKnown
  // The answer of the Submit comes before the next save.
  form.setValue('surname', firstPassport.surname)
  answers[0]?.({ kind: 'waiting', draft })
  await submitting
  expect(form.getValues('surname')).toBe(firstPassport.surname)
  await draftSync.save()
  expect(stored.get('7')?.values.surname).toBe(firstPassport.surname)
})

it('keeps what is typed while earlier answers are being restored (D30, D63)', async () => {
  const sync = openSync()
  const writes: (() => void)[] = []
  const restore: Sync['restore'] = async (...given) => {
    await new Promise<void>(resolve => void writes.push(resolve))
    return sync.restore(...given)
  }
  draftSync = openDraftSync({ services: { sync: { ...sync, restore } } })
  const restoring = draftSync.restore({ ...firstPassport, surname: 'Essomba', givenName: 'Autre' })
  form.setValue('surname', 'Mbock')
  const saving = draftSync.save()
  await expect.poll(() => writes.length).toBe(1)
  writes[0]?.()
  await Promise.all([restoring, saving])
  await draftSync.save()
  expect(form.getValues()).toMatchObject({ surname: 'Mbock', givenName: 'Autre' })
  expect(stored.get('7')?.values).toMatchObject({ surname: 'Mbock', givenName: 'Autre' })
})

/** The draft sync of a form that this tab has, of a signed-in applicant. Each part can be replaced. */
function openDraftSync(parts: Partial<Parameters<typeof createDraftSync>[0]> = {}): DraftSync {
  return createDraftSync({
    services: { sync: openSync() },
    appId: ApplicationId.parse('7'),
    form,
    lastKnown,
    currentFormTab: () => 'PersonData',
    hasTabLock: () => true,
    isSignedIn: () => true,
    onDeleted: () => undefined,
    isValid: () => true,
    ...parts,
  })
}

function openSync(): Sync {
  return createOfflineSync({ openDrafts: async () => createMemoryDrafts(stored, new Map()) })
}

async function openForm(): Promise<FormMethods> {
  const opened: FormMethods[] = []
  function Form() {
    opened.push(useForm<FormValues>({ defaultValues: firstPassport }))
    return null
  }
  createRoot(document.createElement('div')).render(createElement(Form))
  await expect.poll(() => opened.length).toBeGreaterThan(0)
  const [first] = opened
  if (!first) throw new Error('The form did not render')
  return first
}
