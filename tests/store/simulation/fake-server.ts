import type { Problem, Result } from '#api/result.ts'
import { emptyForm, type FormValues, fromWire, normaliseForm, readForm } from '#contract/application.ts'
import { isOpen, mayDelete } from '#contract/states.ts'
import { isSameForm } from '#sync/merge.ts'
import { type AnswerField, answerFields } from './story-names.ts'

type Application = {
  version: number
  state: 'NEW' | 'DATA_SAVED' | 'PAYMENT_DONE' | 'DELETED'
  values: FormValues
}

/** One form that the server had: which version, since which restore. */
type Version = { epoch: number; version: number; values: FormValues }

export type FakeServer = ReturnType<typeof createFakeServer>

type Options = {
  /** How many applications the applicant may have open at once; the national service allows one. */
  maxOpenApplications: number
  /** How the ids of the applications of this applicant begin. */
  idPrefix: string
  /**
   * Whether a refusal with data, such as the present form, is stored, which the real server does not do (D13): in the stories
   * before `firstNewerSeed`, so that a known seed still plays what it played when it failed.
   */
  storesAllRefusals: boolean
}

/**
 * The applications of one applicant on the server, with versions, idempotency keys, a digest of each save and an epoch. The
 * server remembers every form that it ever had, for the oracle.
 */
export function createFakeServer({ maxOpenApplications, idPrefix, storesAllRefusals }: Options) {
  let applications = new Map<string, Application>()
  let answers = new Map<string, { inputText: string; answer: Result<unknown> | undefined }>()
  const history = new Map<string, Version[]>()
  let epoch = 1
  let created = 0
  let starts = 0
  let confirmed = 0
  let backup: ReturnType<typeof copy> | undefined
  const faults: string[] = []
  const repeated: string[] = []
  const answersEver = new Set<string>()

  const copy = () => ({
    applications: new Map([...applications].map(([id, one]) => [id, { ...one }])),
    answers: new Map(answers),
  })

  function record(id: string, { version, values }: Application) {
    for (const field of answerFields) answersEver.add(`${field} ${values[field]}`)
    history.set(id, [...(history.get(id) ?? []), { epoch, version, values }])
  }

  /** Every request with one key must have the same body (D13). A stored response that is outdated is not sent again. */
  function once(
    key: string | undefined,
    input: unknown,
    run: () => Result<unknown>,
    isOutdated: (answer: Result<unknown>) => boolean = () => false,
  ): Result<unknown> {
    if (key === undefined) return run()
    const inputText = JSON.stringify(input)
    const before = answers.get(key)
    if (before && before.inputText !== inputText) faults.push(`two bodies came under the key ${key}`)
    if (before?.answer && isOutdated(before.answer)) return run()
    const answer = before?.answer ?? run()
    const hasData = !answer.ok && 'data' in answer.problem && answer.problem.data !== undefined
    answers.set(key, { inputText, answer: hasData && !storesAllRefusals ? undefined : answer })
    return answer
  }

  function create(key: string | undefined, input: unknown): Result<unknown> {
    return once(key, input, () => {
      const open = [...applications].filter(([, { state }]) => isOpen(state)).map(([id]) => id)
      const isFull = open.length >= maxOpenApplications
      const id = (isFull ? open.at(-1) : undefined) ?? `${idPrefix}${(created += 1)}`
      if (!isFull) {
        const application: Application = { version: 0, state: 'NEW', values: emptyForm() }
        applications.set(id, application)
        record(id, application)
      }
      return { ok: true, value: { data: { id, applicationNumber: `N-${id}` } } }
    })
  }

  function dataOf({ version, values, state }: Application) {
    return {
      ...values,
      version,
      epoch: String(epoch),
      additionalData: '',
      draft: true,
      currentState: state,
      changeAppointmentAccess: false,
      appointmentChangeCount: 1,
    }
  }

  function refusalOf(application: Application, { baseVersion }: Record<string, unknown>) {
    if (!isOpen(application.state)) return refused(409, 'wrong-state')
    if (baseVersion === undefined || baseVersion === application.version) return undefined
    return refused(409, 'stale-version', { ...dataOf(application), statusCode: 409 })
  }

  /** The applicant confirms the form that the screen shows (API11). */
  function confirm(id: string, application: Application, body: Record<string, unknown>): Result<unknown> {
    const refusal = refusalOf(application, body)
    if (refusal) return refusal
    application.version += 1
    application.values = readForm(fromWire(body))
    application.state = 'DATA_SAVED'
    confirmed += 1
    record(id, application)
    const { version, state: currentState } = application
    return { ok: true, value: { data: { version, currentState, epoch: String(epoch) } } }
  }

  /**
   * The deletion by the applicant (LST10). The row stays, without answers and with its version: a form that is opened
   * at this moment gets that version.
   */
  function deleteOwn(id: string, application: Application): Result<unknown> {
    const { state } = application
    if (state !== 'DELETED' && !mayDelete(state)) return refused(409, 'wrong-state')
    application.state = 'DELETED'
    application.values = emptyForm()
    record(id, application)
    return { ok: true, value: { data: { currentState: 'DELETED' } } }
  }

  function list(): Result<unknown> {
    const data = [...applications].map(([id, { state }]) => ({ id, currentState: state }))
    return { ok: true, value: { data, epoch: String(epoch) } }
  }

  function save(id: string, application: Application, body: Record<string, unknown>): Result<unknown> {
    const refusal = refusalOf(application, body)
    if (refusal) return refusal
    const values = readForm(fromWire(body))
    const state = body['draft'] === false ? 'DATA_SAVED' : application.state
    if (state === application.state && isSameForm(values, application.values) && body['draft'] !== false)
      repeated.push(`the server stored the same answers of ${id} twice`)
    application.version += 1
    application.values = values
    application.state = state
    record(id, application)
    const { version } = application
    return {
      ok: true,
      value: { data: { version, epoch: String(epoch), digest: digestOf(values, version) } },
    }
  }

  return {
    answer(endpoint: string, input: unknown, key: string | undefined): Result<unknown> {
      const { params, body = {} } = input as { params?: { id: string }; body?: Record<string, unknown> } // as the engine calls
      if (endpoint === 'createApplication') return create(key, input)
      if (endpoint === 'listApplications') return list()
      const id = params?.id ?? ''
      const application = applications.get(id)
      if (!application) return refused(404, 'not-found')
      if (endpoint === 'readData') return { ok: true, value: { data: dataOf(application) } }
      if (endpoint === 'confirmData') return once(key, input, () => confirm(id, application, body))
      if (endpoint === 'deleteApplication') return once(key, input, () => deleteOwn(id, application))
      // A save with a base version does not repeat its answer when the form has another version (D13).
      return once(
        key,
        input,
        () => save(id, application, body),
        answer => {
          const saved = (answer.ok ? answer.value : undefined) as { data: { version: number } } | undefined // as `save` answers
          return (
            body['baseVersion'] !== undefined &&
            saved !== undefined &&
            saved.data.version !== application.version
          )
        },
      )
    },
    /** The application is paid on another device, which closes its form: from then on the server's copy wins (S93). */
    closeForm(id: string) {
      const application = applications.get(id)
      if (!application || application.state === 'DELETED') return
      application.state = 'PAYMENT_DONE'
      application.version += 1
      record(id, application)
    },
    vanish: (id: string) => applications.delete(id),
    backUp() {
      backup = copy()
    },
    /** Restores the backup as the office command `after-restore` does: with a new epoch and new versions (D62). */
    restore() {
      if (!backup) return
      applications = new Map([...backup.applications].map(([id, one]) => [id, { ...one }]))
      answers = new Map(backup.answers)
      epoch += 1
      for (const [id, one] of applications) {
        one.version += 1_000
        record(id, one)
      }
    },
    epoch: () => String(epoch),
    hasConfirmed: () => confirmed > 0,
    read: (id: string) => applications.get(id),
    ids: () => [...applications].flatMap(([id, { state }]) => (state === 'DELETED' ? [] : [id])),
    forms: () => [...applications.values()].map(({ values }) => values),
    /** Whether the server ever had this answer. */
    everHadAnswer: ({ field, value }: { field: AnswerField; value: string }) =>
      answersEver.has(`${field} ${value}`),
    /** Whether the server had this form at this version. `epochText`: undefined when the phone did not learn it. */
    hadVersion: (id: string, version: number | undefined, epochText: string | undefined, form: FormValues) =>
      (history.get(id) ?? []).some(
        each =>
          each.version === version &&
          (epochText === undefined || String(each.epoch) === epochText) &&
          isSameForm(each.values, form),
      ),
    isKnown: (id: string) => (applications.get(id)?.state ?? 'DELETED') !== 'DELETED',
    /**
     * Texts about actions of the applicant that had two effects: a form stored again or, on a server that was never
     * restored, more applications than starts.
     */
    repeatedEffects: () =>
      created > starts && epoch === 1
        ? [...repeated, `${starts} starts created ${created} applications`]
        : repeated,
    /** The applicant starts an application: the server may create one more. */
    expectStart() {
      starts += 1
    },
    faults: () => faults,
  }
}

export function digestOf(values: FormValues, version: number): string {
  return JSON.stringify([version, normaliseForm(values)])
}

/**
 * An answer with this status, also one that says that the server is broken. `reason`: a problem code of the contract; undefined
 * when something else than the service answers, and where the sync needs only the status.
 */
export function refused(status: number, reason?: string, data?: unknown): Result<never> {
  return failed({
    kind: status >= 500 ? 'broken' : 'refused',
    status,
    statusCode: status,
    message: undefined,
    errors: [],
    data,
    reason,
  })
}

export function failed(problem: Problem): Result<never> {
  return { ok: false, problem }
}
