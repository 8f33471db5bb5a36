import { type FormValues, tidyForm, toWire } from '#contract/application.ts'
import { bodyOf, type SignedIn, signIn } from '#support/client.ts'
import { startTestServer, type TestServer } from '#support/server.ts'
import { today } from './form-cases/form-case.ts'

export type Verdict =
  | { kind: 'saved' }
  | { kind: 'refused'; faults: [field: string, code: string][] }
  /** Neither: what no form may ever come to. */
  | { kind: 'other'; status: number; reason: string | undefined }

/** An applicant whom sign-in knows by one contact, so that the form asks for the other. */
export type FormApplicant = {
  locked: { phoneNumber: boolean; email: boolean }
  /** Submits a form as the browser does. */
  submit(values: FormValues): Promise<Verdict>
  /** Sends any body to the same address. */
  send(body: Record<string, unknown>): Promise<Verdict>
  read(): Promise<Record<string, unknown>>
}

export type FormDesk = {
  server: TestServer
  knownByPhone: FormApplicant
  knownByEmail: FormApplicant
  close(): Promise<void>
}

export const provenPhone = '237670000001'
export const provenEmail = 'ngo@example.cm'

/** The real server, on the day of the cases, with two applicants at their forms. */
export async function openFormDesk(database: 'pglite' | 'postgresql' = 'pglite'): Promise<FormDesk> {
  const server = await startTestServer({ database })
  server.clock.wind((Date.parse(`${today}T11:00:00Z`) - server.clock.now().getTime()) / 1_000)
  const byPhone = await signIn(server, { phone: provenPhone })
  const byEmail = await signIn(server, { email: provenEmail })
  return {
    server,
    knownByPhone: await openForm(byPhone, { phoneNumber: true, email: false }),
    knownByEmail: await openForm(byEmail, { phoneNumber: false, email: true }),
    close: () => server.close(),
  }
}

async function openForm(by: SignedIn, locked: FormApplicant['locked']): Promise<FormApplicant> {
  const params = { id: bodyOf(await by.call('createApplication')).data.id }

  async function send(body: Record<string, unknown>): Promise<Verdict> {
    const answered = await by.call('saveData', { params, body })
    if (answered.kind === 'ok') return { kind: 'saved' }
    const { reason, errors } = answered.failure
    if (answered.status !== 422 || reason !== 'invalid' || !errors?.length)
      return { kind: 'other', status: answered.status, reason }
    return { kind: 'refused', faults: errors.map(readFault) }
  }

  return {
    locked,
    send,
    submit: values => send({ ...toWire(tidyForm(values)), additionalData: '', draft: false }),
    read: async () => bodyOf(await by.call('readData', { params })).data,
  }
}

function readFault(
  error: string | { field?: string | undefined; message?: string | undefined },
): [string, string] {
  return typeof error === 'string' ? ['', error] : [error.field ?? '', error.message ?? '']
}
