import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { applicationStates } from '#contract/states.ts'
import { decryptForm } from '#server/features/applications/stored-form.ts'
import { deleteApplication } from '#server/features/deletion/delete-application.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { forceRace, rowOfApplication } from '#support/servers/forced-race.ts'
import { testedEngines } from '#support/test-tier.ts'
import { type ApiApplicant, type ApiFixture, openApiFixture } from '../api-fixture.ts'
import { createScriptedProvider } from '../payments/scripted-provider.ts'

const parallelCalls = 20

async function begun(applicant: ApiApplicant): Promise<string> {
  const id = (await applicant.call('createApplication')).body?.data.id ?? ''
  await applicant.call('saveData', { params: { id }, body: { surname: 'NGONO', draft: true } })
  return id
}

const remove = (applicant: ApiApplicant, id: string) =>
  applicant.call('deleteApplication', { params: { id } })

describe.each(testedEngines)('an applicant who deletes an application on %s', kind => {
  let fixture: ApiFixture
  const outside = createScriptedProvider()
  beforeAll(async () => {
    fixture = await openApiFixture({ database: kind, providers: { MOBILE: outside.provider } })
  })
  afterAll(() => fixture.close())

  const row = async (id: string) => {
    const { state, data } = await fixture.db
      .selectFrom('application')
      .select(['state', 'data'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return {
      state,
      data: Object.keys(data).length === 0 ? data : decryptForm(fixture.services, { id, data }),
    }
  }

  it('erases the answers, and may begin another one, when nothing was confirmed (LST10, D5)', async () => {
    const applicant = await fixture.signIn()
    expect((await applicant.call('version')).body?.data.features).toContain('deleteApplication')
    const id = await begun(applicant)
    expect((await remove(applicant, id)).body?.data).toEqual({ currentState: 'DELETED' })
    expect(await row(id)).toEqual({ state: 'DELETED', data: {} })
    expect((await applicant.call('createApplication')).body?.data.id).not.toBe(id)
  })

  it('may begin and delete ten applications in a day, and the eleventh is refused until later (D121)', async () => {
    const applicant = await fixture.signIn()
    for (let count = 0; count < 10; count += 1) {
      const { body } = await applicant.call('createApplication')
      expect((await remove(applicant, body?.data.id ?? '')).status).toBe(200)
    }
    const lastNumber = async () =>
      (await sql`select last_value from application_number_seq`.execute(fixture.db)).rows
    const before = await lastNumber()
    const refused = await applicant.call('createApplication')
    expect(refused).toMatchObject({
      status: 429,
      refusal: { refused: 'too-many-requests', message: expect.stringMatching(/dans 60\smin/) },
    })
    // A refused call uses no number, so that one applicant cannot make the numbers of all applicants longer.
    expect(await lastNumber()).toEqual(before)
    const dayBefore = { created_at: sql<Date>`created_at - interval '1 day'` }
    await fixture.db.updateTable('application').set(dayBefore).where('state', '=', 'DELETED').execute()
    expect((await applicant.call('createApplication')).status).toBe(200)
  })

  it('gets 200 for each of many calls that delete the same application at once (LST10, D13)', async () => {
    const applicant = await fixture.signIn()
    const id = await begun(applicant)
    const answers = await Promise.all(Array.from({ length: parallelCalls }, () => remove(applicant, id)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  })

  it.each(applicationStates.filter(state => state !== 'NEW' && state !== 'DELETED'))(
    'is refused and loses nothing when the state is %s (LST10)',
    async state => {
      const applicant = await fixture.signIn()
      const id = await begun(applicant)
      await fixture.db.updateTable('application').set({ state }).where('id', '=', id).execute()
      expect(await remove(applicant, id)).toMatchObject({
        status: 409,
        refusal: { refused: 'wrong-state' },
      })
      expect(await row(id)).toMatchObject({ state, data: { surname: 'NGONO' } })
    },
  )

  it.each([
    ['IN_PROGRESS', '237671234567'],
    ['SUCCESS', '237671234568'],
  ] as const)(
    'is refused when a payment has the status %s, although the state is NEW (LST10)',
    async (status, phone) => {
      const applicant = await fixture.signIn()
      const id = (await applicant.call('createApplication')).body?.data.id ?? ''
      await applicant.call('confirmData', { params: { id }, body: toWire(firstPassport) })
      await applicant.call('startMobilePayment', { query: { applicationId: id, phone } })
      await fixture.db.updateTable('payment').set({ status }).where('application_id', '=', id).execute()
      await fixture.db.updateTable('application').set({ state: 'NEW' }).where('id', '=', id).execute()
      expect(await remove(applicant, id)).toMatchObject({ status: 409, refusal: { refused: 'wrong-state' } })
    },
  )

  it('throws and erases nothing when the transition table does not allow the deletion (D40)', async () => {
    const id = await begun(await fixture.signIn())
    await fixture.db.updateTable('application').set({ state: 'SENT_TO_CM' }).where('id', '=', id).execute()
    const deleting = fixture.db.transaction().execute(trx => deleteApplication(trx, id))
    await expect(deleting).rejects.toThrow('does not allow its deletion')
    expect(await row(id)).toMatchObject({ state: 'SENT_TO_CM', data: { surname: 'NGONO' } })
  })

  it('finds no application of another applicant, and changes nothing (LST10, D12)', async () => {
    const id = await begun(await fixture.signIn())
    const other = await fixture.signIn()
    expect(await remove(other, id)).toMatchObject({ status: 404, refusal: { refused: 'not-found' } })
    expect(await remove(other, 'no-uuid')).toMatchObject({ status: 404 })
    expect(await row(id)).toMatchObject({ state: 'NEW', data: { surname: 'NGONO' } })
  })

  it('either deletes an application or confirms it, and never both (LST10)', async () => {
    const applicant = await fixture.signIn()
    const id = await begun(applicant)
    const statuses = await Promise.all(
      Array.from({ length: parallelCalls }, async (_, index) =>
        index % 2 === 0
          ? (await remove(applicant, id)).body?.data.currentState
          : (await applicant.call('confirmData', { params: { id }, body: toWire(firstPassport) })).body?.data
              .currentState,
      ),
    )
    const { state } = await row(id)
    expect(new Set(statuses.filter(status => status !== undefined))).toEqual(new Set([state]))
  })

  // PGlite has one connection, so no call waits for the lock of another.
  it.runIf(kind === 'postgresql').each([
    { first: 'delete', statuses: [200, 409], state: 'DELETED' },
    { first: 'confirm', statuses: [200, 409], state: 'DATA_SAVED' },
  ])('lets the $first win when it gets the lock first (LST10, D96)', async ({ first, statuses, state }) => {
    const applicant = await fixture.signIn()
    const id = await begun(applicant)
    const calls = [
      async () => (await remove(applicant, id)).status,
      async () =>
        (await applicant.call('confirmData', { params: { id }, body: toWire(firstPassport) })).status,
    ]
    const actions = first === 'delete' ? calls : calls.toReversed()
    expect(await forceRace(fixture.db, { lock: rowOfApplication(id), actions })).toEqual(statuses)
    expect((await row(id)).state).toBe(state)
  })

  it('brings nothing back when a later call saves or confirms (LST10)', async () => {
    const applicant = await fixture.signIn()
    const id = await begun(applicant)
    await remove(applicant, id)
    const body = toWire(firstPassport)
    const late = [
      await applicant.call('saveData', { params: { id }, body: { ...body, draft: true } }),
      await applicant.call('confirmData', { params: { id }, body }),
    ]
    expect(late.map(({ status }) => status)).toEqual([409, 409])
    expect(await row(id)).toEqual({ state: 'DELETED', data: {} })
  })
})
