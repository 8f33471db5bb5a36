import { describe, expect, it } from 'vitest'
import { type ApplicationState, applicationStates } from '#contract/states.ts'
import {
  daysAfter,
  type DeletionFacts,
  nextDeletionStep,
  planDeletion,
} from '#server/features/deletion/deletion-plan.ts'

const unpaid: DeletionFacts = {
  state: 'DATA_SAVED',
  createdOn: '2026-01-01',
  paidOn: undefined,
  appointmentOn: undefined,
  announcedDeletion: undefined,
}
const paid: DeletionFacts = { ...unpaid, state: 'PAYMENT_DONE', paidOn: '2026-01-10' }

const causes: Record<ApplicationState, string | undefined> = {
  NEW: 'unpaid',
  DATA_SAVED: 'unpaid',
  PAYMENT_DONE: 'never-enrolled',
  APPOINTMENT_SCHEDULED: 'never-enrolled',
  APPOINTMENT_CHANGED: 'never-enrolled',
  APPOINTMENT_CANCELED: 'never-enrolled',
  READY_TO_RESCHEDULE: 'never-enrolled',
  READY_FOR_CM: undefined,
  SENT_TO_CM: undefined,
  FAILED: undefined,
  DELETED: undefined,
}

describe('the day of a deletion (F12, D40)', () => {
  it('is 30 days after the start of an unpaid application', () => {
    expect(planDeletion(unpaid, '2026-01-02')).toEqual({ cause: 'unpaid', day: '2026-01-31' })
  })

  it('is a year after the payment without a visit, and at least two weeks after an appointment', () => {
    expect(planDeletion(paid, '2026-02-01')).toEqual({ cause: 'never-enrolled', day: '2027-01-10' })
    const booked: DeletionFacts = { ...paid, state: 'APPOINTMENT_SCHEDULED', appointmentOn: '2027-01-08' }
    expect(planDeletion(booked, '2026-12-01')?.day).toBe('2027-01-22')
    expect(planDeletion({ ...booked, appointmentOn: '2026-03-01' }, '2026-12-01')?.day).toBe('2027-01-10')
  })

  it('is at least two weeks ahead while it was not announced, however old the application is', () => {
    expect(planDeletion(unpaid, '2026-06-01')?.day).toBe('2026-06-15')
  })

  it('stays as announced, until a payment changes the cause', () => {
    const announcedDeletion = { cause: 'unpaid', day: '2026-06-15', lastWarning: 14 } as const
    expect(planDeletion({ ...unpaid, announcedDeletion }, '2026-06-10')?.day).toBe('2026-06-15')
    expect(planDeletion({ ...paid, announcedDeletion }, '2026-06-10')?.day).toBe('2027-01-10')
  })

  it.each(applicationStates.map(state => [state, causes[state]] as const))(
    'has in the state %s the cause: %s',
    (state, cause) => {
      expect(planDeletion({ ...paid, state }, '2026-02-01')?.cause).toBe(cause)
    },
  )
})

describe('daysAfter', () => {
  it.each([
    ['2026-06-10', 5, '2026-06-15'],
    ['2026-06-10', -5, '2026-06-05'],
  ])('returns for %s and %i days %s', (day, count, result) => {
    expect(daysAfter(day, count)).toBe(result)
  })
})

describe('the deletion job of a day', () => {
  it('warns once 14, 3 and 1 days before, and then deletes', () => {
    expect(walk(unpaid, '2026-01-02', 40)).toEqual([
      ['2026-01-17', 'warn 14 of 2026-01-31'],
      ['2026-01-28', 'warn 3 of 2026-01-31'],
      ['2026-01-30', 'warn 1 of 2026-01-31'],
      ['2026-01-31', 'delete'],
    ])
  })

  it.each(['READY_FOR_CM', 'SENT_TO_CM', 'FAILED', 'DELETED'] as const)(
    'has nothing to do in the state %s (D40)',
    state => {
      expect(nextDeletionStep({ ...paid, state }, '2030-01-01')).toEqual({ kind: 'wait' })
    },
  )

  it.each([
    ['2026-06-15', 'unpaid', { kind: 'delete' }],
    ['2026-06-14', 'unpaid', { kind: 'wait' }],
    ['2026-06-15', 'never-enrolled', { kind: 'warn', warning: 14, cause: 'unpaid', day: '2026-06-29' }],
  ] as const)('on %s, after the last warning for the cause %s, plans %o', (today, cause, step) => {
    const announcedDeletion = { cause, day: '2026-06-15', lastWarning: 1 }
    const next = nextDeletionStep({ ...unpaid, announcedDeletion }, today)
    expect(next).toEqual(step)
  })

  it.each([
    [
      '2026-01-20',
      '2026-01-29',
      ['warn 14 of 2026-01-31', 'warn 3 of 2026-01-31', 'warn 1 of 2026-01-31', 'delete'],
    ],
    ['2026-01-20', '2026-01-30', ['warn 14 of 2026-01-31', 'warn 1 of 2026-01-31', 'delete']],
    [
      '2026-01-29',
      '2026-01-31',
      ['warn 14 of 2026-01-31', 'warn 3 of 2026-01-31', 'warn 1 of 2026-02-01', 'delete'],
    ],
    ['2026-01-18', '2026-03-01', ['warn 14 of 2026-01-31', 'warn 1 of 2026-03-02', 'delete']],
    [
      '2026-01-02',
      '2026-03-01',
      ['warn 14 of 2026-03-15', 'warn 3 of 2026-03-15', 'warn 1 of 2026-03-15', 'delete'],
    ],
  ])('never deletes without the last warning after an outage from %s to %s', (from, until, steps) => {
    const done = walk(unpaid, '2026-01-02', 120, day => day >= from && day < until)
    expect(done.map(([, step]) => step)).toEqual(steps)
  })
})

/** Runs the job for each day, except for the days of the outage. */
function walk(facts: DeletionFacts, from: string, days: number, isDown = (_day: string) => false) {
  const done: [string, string][] = []
  let { announcedDeletion } = facts
  for (let count = 0; count < days; count += 1) {
    const day = daysAfter(from, count)
    if (isDown(day)) continue
    const step = nextDeletionStep({ ...facts, announcedDeletion }, day)
    if (step.kind === 'delete') return [...done, [day, 'delete']]
    if (step.kind === 'wait') continue
    announcedDeletion = { cause: step.cause, day: step.day, lastWarning: step.warning }
    done.push([day, `warn ${step.warning} of ${step.day}`])
  }
  return done
}
