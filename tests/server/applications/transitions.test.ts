import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApplicationEvent, applicationStates, nextState } from '#contract/states.ts'
import { advanceState } from '#server/features/applications/own-application.ts'
import { type ApiFixture, type ApiApplicant, openApiFixture } from '../api-fixture.ts'

/** A record, because the compiler finds an event that is missing from it. */
const everyEvent: Record<ApplicationEvent, true> = {
  'data-confirmed': true,
  'payment-succeeded': true,
  'appointment-confirmed': true,
  'appointment-changed': true,
  'appointment-canceled': true,
  'day-closed': true,
  'made-ready': true,
  'no-show': true,
  sent: true,
  failed: true,
  deleted: true,
}
const events = Object.keys(everyEvent) as ApplicationEvent[]

describe('the state of an application', () => {
  let fixture: ApiFixture
  let applicant: ApiApplicant
  beforeAll(async () => {
    // The embedded database has one connection, so calls at once would run one after the other.
    fixture = await openApiFixture({ database: 'postgresql' })
    applicant = await fixture.signIn()
  })
  afterAll(() => fixture.close())

  it.each(applicationStates)('changes from %s only by the transition table (STA09)', async state => {
    const { body } = await applicant.call('createApplication')
    const id = body?.data.id ?? ''
    const moves = []
    for (const event of events) {
      await fixture.db.updateTable('application').set({ state }).where('id', '=', id).execute()
      moves.push([event, await advanceState(fixture.db, id, event)])
      const row = await fixture.db
        .selectFrom('application')
        .select('state')
        .where('id', '=', id)
        .executeTakeFirst()
      expect(row?.state).toBe(nextState(state, event) ?? state)
    }
    expect(moves).toEqual(events.map(event => [event, nextState(state, event)]))
    // Neither NEW nor DATA_SAVED, so that the applicant may start the next application.
    await fixture.db.updateTable('application').set({ state: 'FAILED' }).where('id', '=', id).execute()
  })

  it('changes once when twenty calls apply the same event at once', async () => {
    const { body } = await applicant.call('createApplication')
    const id = body?.data.id ?? ''
    await fixture.db.updateTable('application').set({ state: 'READY_FOR_CM' }).where('id', '=', id).execute()
    const moved = await Promise.all(Array.from({ length: 20 }, () => advanceState(fixture.db, id, 'sent')))
    expect(moved.filter(state => state !== undefined)).toEqual(['SENT_TO_CM'])
  })
})
