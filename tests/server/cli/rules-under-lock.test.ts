import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { eraseClosedApplications } from '#server/features/deletion/erase-applications.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf, signIn } from '#support/servers/api-client.ts'
import { forceRace } from '#support/servers/forced-race.ts'
import { createPaidApplication } from '../paid-application.ts'
import { startCliFixture } from './cli-fixture.ts'

const { server, officeCommand } = await startCliFixture({ database: 'postgresql', offices: 'none' })
const { db } = server.services

const why = ['--reason', 'Two of us at once'] as const

describe('remove-whitelist under its lock (PAY31, D96)', () => {
  it('removes no entry that an applicant uses at the same moment, because the entry would pay for a second application after it is loaded again', async () => {
    await officeCommand.run('load-whitelist', officeCommand.file('list.csv', 'contact', '+237671000001'))
    const [removal] = await forceRace(db, {
      lock: sql`select from whitelist for update`,
      actions: [() => officeCommand.run('remove-whitelist', '+237671000001', ...why)],
      change: trx => sql`update whitelist set used_at = now()`.execute(trx),
    })
    expect(removal).toEqual({
      kind: 'refused',
      lines: ['+237*******01: Its payment was used for an application already.'],
    })
    expect(await db.selectFrom('whitelist').select('kind').execute()).toEqual([{ kind: 'phone' }])
  })
})

describe('statement under its lock (D108, D96)', () => {
  it('refuses to refund a payment that another operator attaches to an application at the same moment', async () => {
    const applicant = await signIn(server, { phone: '237671500001' })
    const { id, applicationNumber } = bodyOf(await applicant.call('createApplication')).data
    const body = toWire({ ...firstPassport, phoneNumber: '671500001' })
    bodyOf(await applicant.call('confirmData', { params: { id }, body }))
    const order = 'PO-2026-000900-AAAAAAAA'
    const header = 'order,amount,currency,method'
    const file = officeCommand.file('statement.csv', header, `${order},110000,XAF,MOBILE`)
    const [attached, refund] = await forceRace(db, {
      // Holds the first command between its check and its commit.
      lock: sql`lock table payment_event in exclusive mode`,
      actions: [
        () => officeCommand.run('statement', file, '--attach', `${order}=${applicationNumber}`, ...why),
        () => officeCommand.run('statement', file, '--refund', order, ...why),
      ],
    })
    expect(attached.kind).toBe('done')
    expect(refund).toMatchObject({ kind: 'refused', lines: [expect.stringContaining('It is known here.')] })
    expect(await db.selectFrom('unknown_payment').select('order_id').execute()).toEqual([])
  })
})

describe('refunds under its lock (D42, D96)', () => {
  it('records a refund also when the application is erased at the same moment, so that the money is not given back twice (D113)', async () => {
    const applicant = await signIn(server, { phone: '237671500002' })
    const form = { ...firstPassport, phoneNumber: '671500002' }
    const { applicationId, number } = await createPaidApplication(server, applicant, form)
    await officeCommand.run('move', number, 'FAILED', ...why)
    await officeCommand.run('refunds', '--refused', number, ...why)
    await sql`update application set updated_at = now() - interval '10 years' where id = ${applicationId}`.execute(
      db,
    )
    const { order_id: order } = await db
      .selectFrom('payment')
      .select('order_id')
      .where('application_id', '=', applicationId)
      .executeTakeFirstOrThrow()
    const [refund] = await forceRace(db, {
      // Holds the refund between its update and its commit.
      lock: sql`lock table payment_event in exclusive mode`,
      actions: [
        () => officeCommand.run('refunds', '--done', order),
        () => eraseClosedApplications(server.services),
      ],
    })
    expect(refund.kind).toBe('done')
    expect(await db.selectFrom('application').where('id', '=', applicationId).select('id').execute()).toEqual(
      [],
    )
    expect(await db.selectFrom('past_order').select('order_id').execute()).toEqual([{ order_id: order }])
    expect((await officeCommand.run('refunds')).lines).toEqual(['No payment is due back.'])
    expect((await officeCommand.run('refunds', '--done', order)).kind).toBe('refused')
  })
})
