import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { doNothing } from '#device/do-nothing.ts'
import { reconcileDue } from '#server/features/payments/reconcile.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { openApiFixture } from '../api-fixture.ts'
import { createScriptedProvider } from './scripted-provider.ts'

it('queries the orders of a gateway while another gateway answers no query (D42)', async () => {
  const [hanging, working] = [createScriptedProvider(), createScriptedProvider()]
  let release = doNothing
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  const mobile = {
    ...hanging.provider,
    async queryStatus() {
      await released
      return { kind: 'pending' } as const
    },
  }
  const providers = { MOBILE: mobile, AGGREGATOR: working.provider }
  const { db, services, signIn, close } = await openApiFixture({ providers })
  try {
    const payer = async () => {
      const applicant = await signIn()
      const applicationId = (await applicant.call('createApplication')).body?.data.id ?? ''
      await applicant.call('confirmData', { params: { id: applicationId }, body: toWire(firstPassport) })
      return { applicant, query: { applicationId } }
    }
    // More orders than the server queries at once.
    for (let last = 10; last < 22; last += 1) {
      const { applicant, query } = await payer()
      const phone = `2376712345${last}`
      expect((await applicant.call('startMobilePayment', { query: { ...query, phone } })).status).toBe(200)
    }
    const { applicant, query } = await payer()
    const body = { phone: '237671234567', name: 'Ngo Biyong', paymentMethod: 'MTN-Money' }
    expect((await applicant.call('startAggregatorPayment', { query, body })).status).toBe(200)
    await db
      .updateTable('payment')
      .set({ ask_at: sql<Date>`created_at - interval '1 minute'` })
      .execute()

    working.script.status = 'success'
    const round = reconcileDue(services, providers)
    const paid = () => db.selectFrom('payment').select('method').where('status', '=', 'SUCCESS').execute()
    await expect.poll(paid).toEqual([{ method: 'AGGREGATOR' }])
    release()
    await round
  } finally {
    release()
    await close()
  }
})
