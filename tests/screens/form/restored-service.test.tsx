// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { emptyForm, type FormValues, readForm, toWire } from '#contract/application.ts'
import { ApplicationId } from '#contract/ids.ts'
import { digestOfForm } from '#contract/save-digest.ts'
import { makeToken } from '#support/data/access-token.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import type { FakeRequest } from '#support/providers/fake-fetch.ts'
import { createWaitingLocks } from '#support/providers/waiting-locks.ts'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

const confirmed = readForm(toWire(firstPassport))

type Server = {
  epoch: string
  version: number
  state: string
  form: FormValues
  /** The contacts that the account has proven: the server stores them whatever the phone sends (PER14). */
  proven?: Partial<FormValues> | undefined
  /** Runs when the server gets the next save, which it refuses as if the form were closed. */
  afterRefusal?: (() => void) | undefined
}

/** Epoch and version of the server after the restore of its backup and the command `after-restore` (D62). */
const afterRestore = { epoch: 'after', version: 1_000_004 }

/** Opens the portal in front of a server with one application. */
async function openAt(path: string, given: Partial<Server> = {}): Promise<Server> {
  const server: Server = { epoch: 'before', version: 5, state: 'NEW', form: confirmed, ...given }
  portal = await openPortal({ path, answer: request => answer(server, request) })
  portal.device.withLock = createWaitingLocks()
  return server
}

function answer(server: Server, { url, method, body }: FakeRequest) {
  const path = new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')
  const { epoch, form, state } = server
  if (path === '/version')
    return { json: { data: { version: '1', time: '2026-06-15T09:00:00Z', features: ['drafts'], epoch } } }
  if (path === '/applications')
    return { json: { data: [{ id: 'app-1', applicationNumber: 'PP-1', currentState: state }] } }
  if (path === '/applications/app-1/confirmData') {
    Object.assign(server, { version: server.version + 1, state: 'DATA_SAVED' })
    return { json: { data: { currentState: server.state, version: server.version, epoch } } }
  }
  if (path !== '/applications/app-1/data') return undefined
  const { version } = server
  if (method === 'GET')
    return { json: { data: { ...toWire(form), additionalData: '', version, epoch, currentState: state } } }
  return save(server, body)
}

async function save(server: Server, body: unknown) {
  if (server.afterRefusal) {
    server.afterRefusal()
    server.afterRefusal = undefined
    return { status: 409, json: { statusCode: 409, reason: 'wrong-state', message: 'Payée' } }
  }
  const values = { ...readForm(body), ...server.proven }
  Object.assign(server, { form: values, version: server.version + 1 })
  const { version, epoch, state: currentState } = server
  return { json: { data: { version, epoch, currentState, digest: await digestOfForm(values, version) } } }
}

/** The command `after-restore` has ended all sessions, so the applicant signs in again. */
async function signInAgain(claims: { email?: string } = {}) {
  const { applicant, services } = portal
  await services.session.logOut()
  await portal.see(() => expect(services.session.state().kind).toBe('signed-out'))
  const token = makeToken({ applicantId: applicant, ...claims })
  await services.session.begin({ token, draftKey: `secret of ${applicant}` })
}

async function confirmAnswers() {
  await portal.see(() => expect(portal.button(t('button.confirm'))).toBeDefined())
  portal.button(t('button.confirm')).click()
  await portal.see(() => expect(location.pathname).toBe('/payment/app-1/PP-1'))
}

describe('answers on this device after the server was restored from a backup (D62)', () => {
  it.each(['NEW', 'DATA_SAVED'])('are offered when the form opens, in the state %s', async state => {
    const server = await openAt('/confirm/app-1/PP-1')
    await confirmAnswers()
    Object.assign(server, afterRestore, {
      state,
      form: { ...confirmed, surname: 'Ancienne', givenName: 'Autre' },
    })
    await signInAgain()
    await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
    await portal.see(() => expect(portal.button(t('choice.keepMine'))).toBeDefined())
    expect(portal.main().querySelector('h2')?.textContent).toBe(t('choice.restoredHeading'))
    expect(portal.main().textContent).not.toContain(t('choice.lead'))
    expect(portal.main().textContent).not.toContain(t('choice.theirs'))
    portal.button(t('choice.keepMine')).click()
    await portal.see(() => expect(server.form).toMatchObject({ surname: confirmed.surname }))
    expect(server.form).toEqual(confirmed)
    await portal.see(() => expect(portal.named('surname').value).toBe(confirmed.surname))
    await portal.see(() => expect(portal.main().textContent).not.toContain(t('choice.keepMine')))
  })

  it('are kept without a contact that the restored account has not proven (PER14)', async () => {
    const server = await openAt('/confirm/app-1/PP-1', { form: { ...confirmed, email: 'new@b.cm' } })
    await confirmAnswers()
    const proven = { email: 'old@b.cm' }
    const form = { ...confirmed, ...proven, surname: 'Ancienne' }
    Object.assign(server, afterRestore, { state: 'NEW', form, proven })
    await signInAgain(proven)
    await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
    await portal.see(() => expect(portal.button(t('choice.keepMine'))).toBeDefined())
    portal.button(t('choice.keepMine')).click()
    await portal.see(() => expect(server.form.surname).toBe(confirmed.surname))
    await portal.seeAsTimePasses(() => expect(portal.services.sync.status('app-1').kind).toBe('sent'))
    expect(portal.named('email').value).toBe('old@b.cm')
  })

  it('stop the payment until the applicant has chosen, and the list leads to the choice (OFF08)', async () => {
    const server = await openAt('/confirm/app-1/PP-1')
    await confirmAnswers()
    Object.assign(server, afterRestore, { form: { ...confirmed, surname: 'Ancienne' } })
    await signInAgain()
    await portal.router.navigate({ href: '/procedure' })
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.choiceOpen')))
    expect(portal.main().textContent).not.toContain(t('procedure.open.payment'))
    const { requireSynced } = await import('#app/require-synced.ts')
    expect(await requireSynced(portal.services, ApplicationId.parse('app-1'))).toBe(false)
    ;[...portal.main().querySelectorAll('a')]
      .find(link => link.textContent?.includes(t('procedure.open.form')))
      ?.click()
    await portal.see(() => expect(portal.button(t('choice.keepMine'))).toBeDefined())
  })

  it('are all on the server again when the restored server has none of them', async () => {
    const server = await openAt('/confirm/app-1/PP-1')
    await confirmAnswers()
    Object.assign(server, afterRestore, { state: 'NEW', form: emptyForm() })
    await signInAgain()
    await portal.see(() => expect(server.form).toEqual(confirmed))
    await portal.see(() => expect(portal.notices.state().last?.message).toEqual({ key: 'notice.restored' }))
  })

  it('need no choice when the restored server has them too', async () => {
    const server = await openAt('/confirm/app-1/PP-1')
    await confirmAnswers()
    Object.assign(server, afterRestore)
    await signInAgain()
    await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
    await portal.see(async () => expect((await portal.store.drafts.read('app-1'))?.base?.epoch).toBe('after'))
    await portal.see(() => expect(portal.named('surname').value).toBe(confirmed.surname))
    expect(portal.main().textContent).not.toContain(t('choice.keepMine'))
    expect(
      portal.requests.filter(({ url, method }) => method === 'POST' && url.endsWith('/app-1/data')),
    ).toEqual([])
  })

  it('are offered again after a second restore from the same backup', async () => {
    const server = await openAt('/confirm/app-1/PP-1')
    await confirmAnswers()
    for (const epoch of ['second', 'third']) {
      const version = server.version + 1_000_000
      Object.assign(server, { epoch, version, form: { ...confirmed, surname: 'Ancienne' } })
      await signInAgain()
      await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
      await portal.see(() => expect(portal.button(t('choice.keepMine'))).toBeDefined())
      portal.button(t('choice.keepMine')).focus()
      portal.button(t('choice.keepMine')).click()
      await portal.see(() => expect(server.form).toEqual(confirmed))
      // The pressed button is gone with its panel.
      await portal.see(() => expect(document.activeElement?.id).toBe('heading'))
      // Without the answer to this write, the device would send it again after the next restore, without a question.
      await portal.see(() => expect(portal.services.sync.status('app-1').kind).toBe('sent'))
    }
  })

  it('wait for a choice when the server is restored between a refusal and the read of its form', async () => {
    const server = await openAt('/form/app-1/PP-1/PersonData', { state: 'DATA_SAVED' })
    await portal.see(() => expect(portal.named('surname').value).toBe(confirmed.surname))
    portal.answer('surname', 'Corrigée')
    await portal.seeAsTimePasses(() => expect(server.form.surname).toBe('Corrigée'))
    server.afterRefusal = () =>
      Object.assign(server, afterRestore, { form: { ...confirmed, surname: 'Ancienne' } })
    portal.answer('surname', 'Nouvelle')
    await portal.seeAsTimePasses(() => expect(server.afterRefusal).toBeUndefined())
    await portal.seeAsTimePasses(() => expect(portal.services.sync.status('app-1').kind).toBe('conflict'))
    expect((await portal.store.drafts.read('app-1'))?.values.surname).toBe('Nouvelle')
    expect(server.form.surname).toBe('Ancienne')
  })

  it('are replaced by the server’s and become a revision when the restored application is closed', async () => {
    const server = await openAt('/confirm/app-1/PP-1')
    await confirmAnswers()
    Object.assign(server, afterRestore, {
      state: 'PAYMENT_DONE',
      form: { ...confirmed, surname: 'Ancienne' },
    })
    await signInAgain()
    await portal.see(async () =>
      expect((await portal.store.drafts.read('app-1'))?.values.surname).toBe('Ancienne'),
    )
    const kept = await portal.store.revisions('app-1')
    expect(kept.map(({ values }) => values.surname)).toContain(confirmed.surname)
    expect(server.form.surname).toBe('Ancienne')
  })

  it('are among the earlier answers when a later restore opens the paid application again (D63)', async () => {
    const server = await openAt('/confirm/app-1/PP-1')
    await confirmAnswers()
    const old = { ...confirmed, surname: 'Ancienne' }
    Object.assign(server, afterRestore, { state: 'PAYMENT_DONE', form: old })
    await signInAgain()
    await portal.see(async () =>
      expect((await portal.store.drafts.read('app-1'))?.values.surname).toBe('Ancienne'),
    )
    // While the application is closed, no page shows them: its card opens the booking.
    await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
    await portal.see(() => expect(location.pathname).not.toContain('/form/'))
    Object.assign(server, { state: 'NEW', epoch: 'second', version: server.version + 1_000_000 })
    await signInAgain()
    await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
    await portal.see(() => expect(portal.named('surname').value).toBe('Ancienne'))
    portal.button(t('earlier.button')).click()
    await portal.see(() => expect(portal.main().querySelector('dialog[open] li button')).toBeTruthy())
    portal.main().querySelector<HTMLElement>('dialog[open] li button')?.click()
    await portal.see(() => expect(portal.button(t('earlier.restore'))).toBeTruthy())
    portal.button(t('earlier.restore')).click()
    await portal.see(() => expect(portal.named('surname').value).toBe(confirmed.surname))
  })
})

describe('a form that this device keeps after its confirmation (D62, S93)', () => {
  it('takes what another device has changed and confirmed since, without a question', async () => {
    const server = await openAt('/confirm/app-1/PP-1')
    await confirmAnswers()
    Object.assign(server, { version: server.version + 2, form: { ...confirmed, surname: 'Ailleurs' } })
    await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
    await portal.seeAsTimePasses(() => expect(portal.named('surname').value).toBe('Ailleurs'))
    expect(portal.main().textContent).not.toContain(t('choice.heading'))
    expect(portal.main().textContent).not.toContain(t('choice.restoredHeading'))
    expect(server.form.surname).toBe('Ailleurs')
  })

  it('keeps what the applicant changes right after the form has opened', async () => {
    const server = await openAt('/confirm/app-1/PP-1')
    await confirmAnswers()
    await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
    await portal.see(() => expect(portal.named('surname').value).toBe(confirmed.surname))
    portal.answer('surname', 'Corrigée')
    await portal.seeAsTimePasses(() => expect(server.form.surname).toBe('Corrigée'))
    expect(portal.named('surname').value).toBe('Corrigée')
    expect(portal.notices.state().last?.message).not.toEqual({ key: 'notice.overruled' })
  })
})
