import { describe, expect, it } from 'vitest'
import { ApplicationData, emptyForm, type FormValues, toWire } from '#contract/application.ts'
import { type Draft, newDraft, type ServerForm } from '#store/draft.ts'
import { afterSent, mergeServerData, rebase, resolveConflicts } from '#sync/merge-draft.ts'
import { markSubmitted, prepareSending } from '#sync/sending.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { nextStep } from '#sync/next-step.ts'
import { syncStatusOf } from '#sync/sync-status.ts'
import { firstPassport } from '#support/data/applicants.ts'

const acceptsDrafts = true // the server accepts incomplete forms (D14)
const form = (more: Partial<FormValues>): FormValues => ({ ...emptyForm(), ...more })
const serverForm = (version: number, values: FormValues): ServerForm => ({
  version,
  additionalData: '',
  values,
  at: 0,
})

describe('typing while a choice is open and a write is on its way (D32)', () => {
  it.each(['NEW', 'DATA_SAVED'])(
    'does not make the own write an answer of another device, in the state %s',
    currentState => {
      const base = serverForm(5, form({ surname: 'Ngo' }))
      const shown = draftOf(form({ surname: 'Ngo', motherSurname: 'One' }), { base })
      // The server has a newer form of another phone, which the sync merges; it prepares the next write at once.
      const { sending, ...merged } = prepareSending(
        rebase(shown, serverForm(6, form({ surname: 'Abena' }))),
        'key-1',
        acceptsDrafts,
      )
      if (!sending) throw new Error('No write was prepared')
      const asked = type({ ...merged, sending }, form({ surname: 'Mbock', motherSurname: 'One' }), shown)
      const typed = type(asked, form({ surname: 'Mbock', motherSurname: 'Two' }), asked)
      expect(typed).toMatchObject({ theirs: { version: 6 }, sending })
      const sent = afterSent(typed, sending, { version: 7, epoch: undefined, at: 0 })
      const own = answerOf(7, sending.values, currentState)
      const read = mergeServerData(sent, own, 0)
      expect(read.isReplaced).toBe(false)
      const chosen = chooseMine(read.draft)
      const { draft, isReplaced } = mergeServerData(chosen, own, 0)
      expect(isReplaced).toBe(false)
      expect(draft.theirs).toBeUndefined()
      expect(draft.values).toMatchObject({ surname: 'Mbock', motherSurname: 'Two' })
    },
  )
})

describe('the form of which a choice is open, when it is read again after the confirmation (S93)', () => {
  const base = serverForm(5, form({ surname: 'Ngo' }))
  const shown = draftOf(base.values, { base })
  const merged = rebase(shown, serverForm(6, form({ surname: 'Abena' })))

  it('does not replace the typed answer while the applicant chooses', () => {
    const asked = type(merged, form({ surname: 'Mbock' }), shown)
    const read = mergeServerData(asked, answerOf(6, form({ surname: 'Abena' }), 'DATA_SAVED'), 0)
    expect(read).toMatchObject({
      isReplaced: false,
      draft: { values: { surname: 'Mbock' }, theirs: { version: 6 } },
    })
  })

  it('replaces the typed answer when another device has saved a newer form', () => {
    const asked = type(merged, form({ surname: 'Mbock' }), shown)
    const read = mergeServerData(asked, answerOf(7, form({ surname: 'Essomba' }), 'DATA_SAVED'), 0)
    expect(read).toMatchObject({ isReplaced: true, draft: { values: { surname: 'Essomba' } } })
  })
})

describe('an answer that is typed back to the one before a merge with the server’s form (D32)', () => {
  const base = serverForm(5, form({ surname: 'Ngo', givenName: 'Ada' }))
  const shown = draftOf(base.values, { base })
  const merged = rebase(shown, serverForm(6, form({ surname: 'Abena', givenName: 'Eve' })))
  const asked = type(merged, form({ surname: 'Mbock', givenName: 'Ada' }), shown)
  // The page shows the given name of the server now, and the applicant types the one before.
  const typedBack = type(asked, form({ surname: 'Mbock', givenName: 'Ada' }), asked)

  it('stays when the applicant chooses another answer', () => {
    expect(asked.values).toMatchObject({ surname: 'Mbock', givenName: 'Eve' })
    expect(chooseMine(typedBack).values).toMatchObject({ surname: 'Mbock', givenName: 'Ada' })
  })

  it('stays when another tab has typed in the field since, and the server has the answer that the screen showed before', () => {
    const first = serverForm(1, form({ givenName: 'Ada' }))
    const second = serverForm(2, form({ givenName: 'Eve' }))
    const known = draftOf(second.values, { base: first })
    const stored = draftOf(form({ givenName: 'Ama' }), { base: second })
    const typed = type(stored, form({ givenName: 'Ada' }), known)
    expect(typed.theirs).toBeUndefined()
    expect(typed.values.givenName).toBe('Ada')
  })

  it('stays when the applicant types the conflict away', () => {
    const values = form({ surname: 'Abena', givenName: 'Ada' })
    const typed = type(typedBack, values, typedBack)
    expect(typed.theirs).toBeUndefined()
    expect(typed.values).toEqual(values)
  })
})

describe('a Submit, which waits while the answers have a fault (D33)', () => {
  const base = serverForm(5, form({ surname: 'Ngo' }))
  const options = { now: 0, urgent: true, refresh: false, acceptsDrafts }

  it('does not begin to wait, and is sent, when a tab whose screen was older and incomplete saves and then shows the submitted answers', () => {
    const older = draftOf(base.values, { base })
    const submitted = markSubmitted(type(older, firstPassport, older))
    const taken = type(submitted, base.values, older, false)
    expect(taken.values).toEqual(firstPassport)
    const shown = type(taken, firstPassport, taken)
    expect(nextStep(shown, options).kind).toBe('prepare')
    expect(prepareSending(shown, 'key', acceptsDrafts).sending?.complete).toBe(true)
  })

  it('is sent when the chosen answer ends the fault', () => {
    const submitted = markSubmitted(draftOf(firstPassport, { base: serverForm(5, firstPassport) }))
    const faulty = type(submitted, { ...firstPassport, surname: '' }, submitted, false)
    const picked = { ...firstPassport, surname: 'Abena' }
    const conflict = rebase(faulty, serverForm(6, picked))
    const chosen = resolveConflicts(conflict, { picked, shown: conflict })
    expect(nextStep(chosen, options).kind).toBe('idle')
    expect(nextStep(type(chosen, picked, chosen), options).kind).toBe('prepare')
  })
})

function draftOf(values: FormValues, more: Partial<Draft> = {}): Draft {
  return newDraft({ values, tab: 'PersonData', ...more })
}

/** What a form saves that shows `values` and was opened, or last saved, with `lastKnown`. */
function type(stored: Draft, values: FormValues, lastKnown: Draft, isValid = true): Draft {
  return mergeScreenForm(stored, { values, tab: 'PersonData', lastKnown, isValid: () => isValid })
}

/** The applicant chooses the answers of this device. */
function chooseMine(draft: Draft): Draft {
  const status = syncStatusOf(draft, acceptsDrafts)
  if (status.kind !== 'conflict') throw new Error(`The draft has no open choice: ${status.kind}`)
  return resolveConflicts(draft, { picked: status.merged, shown: draft })
}

function answerOf(version: number, values: FormValues, currentState: string): ApplicationData {
  return ApplicationData.parse({ ...toWire(values), additionalData: '', version, currentState })
}
