// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { type FormValues, readForm, toWire } from '#contract/application.ts'
import { ApplicationId } from '#contract/ids.ts'
import { digestOfForm } from '#contract/save-digest.ts'
import { requireSynced } from '#app/require-synced.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import type { FakeRequest } from '#support/providers/fake-fetch.ts'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

type Server = { version: number; state: string; form: FormValues; hasOpenOrder: boolean; refused: string[] }

/** Opens the form of an application with an open order: the server stores only a complete form then (D14). */
async function openForm(): Promise<Server> {
  const form = readForm(toWire(firstPassport))
  const server: Server = { version: 5, state: 'DATA_SAVED', form, hasOpenOrder: true, refused: [] }
  portal = await openPortal({
    path: '/form/app-1/PP-1/PersonData',
    answer: request => answer(server, request),
  })
  await portal.see(() => expect(portal.named('surname').value).toBe(form.surname))
  return server
}

function answer(server: Server, { url, method, body }: FakeRequest) {
  const path = new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')
  const { form, version, state } = server
  if (path === '/version')
    return { json: { data: { version: '1', time: '2026-06-15T09:00:00Z', features: ['drafts'] } } }
  if (path === '/applications')
    return { json: { data: [{ id: 'app-1', applicationNumber: 'PP-1', currentState: state }] } }
  if (path !== '/applications/app-1/data') return undefined
  if (method === 'GET')
    return { json: { data: { ...toWire(form), additionalData: '', version, currentState: state } } }
  return save(server, readForm(body))
}

async function save(server: Server, values: FormValues) {
  if (server.state !== 'DATA_SAVED')
    return { status: 409, json: { statusCode: 409, reason: 'wrong-state', message: 'Payée' } }
  if (server.hasOpenOrder && !isComplete(values)) {
    server.refused.push(values.surname)
    const data = { paymentId: 'pay-1' }
    return { status: 409, json: { statusCode: 409, reason: 'in-flight', message: 'Un paiement', data } }
  }
  Object.assign(server, { form: values, version: server.version + 1 })
  const { version, state: currentState } = server
  return { json: { data: { version, currentState, digest: await digestOfForm(values, version) } } }
}

const isComplete = (values: FormValues) => values.surname !== ''

/** Empties the surname, and waits until the server has refused the incomplete form. */
async function emptySurname(server: Server) {
  portal.answer('surname', '')
  await portal.seeAsTimePasses(() => expect(server.refused).not.toEqual([]))
}

describe('a form that is incomplete while an order of the application is open (D14)', () => {
  it('says that it waits for the missing answer or the end of the payment', async () => {
    await emptySurname(await openForm())
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.heldByOrder')))
    expect(await requireSynced(portal.services, ApplicationId.parse('app-1'))).toBe(false)
    expect(portal.notices.state().last?.message).toEqual({ key: 'notice.unsent' })
  })

  it('is sent within seconds once it is complete, although the order is open', async () => {
    const server = await openForm()
    await emptySurname(server)
    // Each further failure would lengthen the backoff.
    for (let count = 0; count < 4; count += 1) await portal.services.sync.flush('app-1')
    expect(server.refused.length).toBeGreaterThan(4)
    portal.answer('surname', 'NGO')
    await portal.device.advance(150)
    await portal.see(async () => expect((await draftNow())?.values.surname).toBe('NGO'))
    await portal.device.advance(2_000)
    await portal.see(() => expect(server.form.surname).toBe('NGO'))
    await portal.see(() => expect(portal.main().textContent).not.toContain(t('form.heldByOrder')))
  })

  it('is sent by itself when the order has ended without a payment', async () => {
    const server = await openForm()
    await emptySurname(server)
    server.hasOpenOrder = false
    await portal.seeAsTimePasses(() => expect(server.form.surname).toBe(''))
    await portal.see(() => expect(portal.services.sync.status('app-1').kind).toBe('sent'))
  })

  it('keeps its answers on the device as a revision when the order succeeds first', async () => {
    const server = await openForm()
    portal.answer('givenName', 'Corrigée')
    await emptySurname(server)
    server.state = 'PAYMENT_DONE'
    await portal.seeAsTimePasses(async () =>
      expect((await draftNow())?.values.surname).toBe(firstPassport.surname),
    )
    const kept = await portal.store.revisions('app-1')
    expect(kept.map(({ values }) => values.givenName)).toContain('Corrigée')
  })
})

function draftNow() {
  return portal.store.drafts.read('app-1')
}
