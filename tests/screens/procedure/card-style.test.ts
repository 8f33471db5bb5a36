import { describe, expect, it } from 'vitest'
import { emptyForm } from '#contract/application.ts'
import { cardStyleOf, unsentKey } from '#screens/procedure/card-style.ts'
import { mayStartNew } from '#screens/procedure/procedure-screen.tsx'
import { newDraft } from '#store/draft.ts'
import type { SyncStatus } from '#sync/sync-status.ts'

describe('cardStyleOf', () => {
  it.each([
    ['NEW', 'form', 'warning'],
    ['DATA_SAVED', 'payment', 'warning'],
    ['PAYMENT_DONE', 'appointment', 'warning'],
    ['APPOINTMENT_CANCELED', 'appointment', 'warning'],
    ['READY_TO_RESCHEDULE', 'appointment', 'warning'], // the applicant missed the appointment
    ['APPOINTMENT_SCHEDULED', 'final', 'success'],
    ['READY_FOR_CM', 'final', 'success'], // after the enrolment
    ['SENT_TO_CM', 'final', 'success'],
    ['APPOINTMENT_CHANGED', 'final', 'success'], // by the applicant
  ])('leads from %s to %s (LST03, LST04, LST05, LST06)', (state, destination, tone) => {
    expect(cardStyleOf(state)).toMatchObject({
      destination,
      tone,
      actionKey: `procedure.open.${destination}`,
    })
  })

  it.each([
    ['FAILED', 'danger'],
    ['DELETED', 'info'],
    ['SOMETHING_NEW', 'info'],
  ])('gives %s no destination (S48)', (state, tone) => {
    expect(cardStyleOf(state)).toMatchObject({ destination: 'none', tone, actionKey: undefined })
  })

  it('reminds applicants who have paid and have no appointment', () => {
    expect(cardStyleOf('PAYMENT_DONE').oneStepLeft).toBe(true)
    expect(cardStyleOf('APPOINTMENT_CANCELED').oneStepLeft).toBe(true)
    expect(cardStyleOf('READY_TO_RESCHEDULE').oneStepLeft).toBe(true)
    expect(cardStyleOf('APPOINTMENT_SCHEDULED').oneStepLeft).toBe(false)
  })
})

describe('unsentKey', () => {
  const draft = newDraft({ values: emptyForm(), tab: 'GeneralData' })
  const conflict: SyncStatus = {
    kind: 'conflict',
    conflicts: [],
    merged: emptyForm(),
    isRestored: false,
    draft,
  }

  it.each<[SyncStatus, string | undefined, string | undefined]>([
    [{ kind: 'saved', draft }, undefined, 'procedure.onlyInPage'],
    [{ kind: 'unsent', draft }, 'form.sending', 'form.notKeptRescue'],
    [{ kind: 'sending', draft }, 'form.sending', 'form.notKeptRescue'],
    [{ kind: 'waiting', draft }, 'form.waiting', 'form.notKeptRescue'],
    [conflict, 'form.choiceOpen', 'procedure.onlyInPage'],
    [{ kind: 'stuck', stuck: { kind: 'gone' }, draft }, 'procedure.stuck', 'procedure.onlyInPage'],
    [{ kind: 'sent', at: 0, draft }, undefined, undefined],
  ])(
    'returns the message of %o when the device has the answers, and when only the page has them (D30, D31)',
    (status, onDevice, inPage) => {
      const application = { id: 'app-1', currentState: 'NEW' }
      expect(unsentKey(status, application, false)).toBe(onDevice)
      expect(unsentKey(status, application, true)).toBe(inPage)
    },
  )
})

describe('mayStartNew', () => {
  it.each([
    [[], true],
    [['NEW'], false],
    [['SENT_TO_CM', 'DATA_SAVED'], false],
    [['PAYMENT_DONE', 'FAILED', 'DELETED', 'SOMETHING_NEW'], true],
  ])('allows a new application when the others are in %o: %s (LST07, S48)', (states, may) => {
    expect(mayStartNew(states.map(currentState => ({ currentState })))).toBe(may)
  })
})
