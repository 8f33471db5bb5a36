import { type FormValues, tidyForm, toWire } from '#contract/application.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { sendsAway } from '#contract/problems.ts'
import type { Services } from '#portal/services.ts'

export type Fault = { field: string; message: string | undefined }
export type Saved =
  | { kind: 'saved' }
  /** The server says no; it may have said of which fields. */
  | { kind: 'faults'; faults: Fault[] }
  /** Nothing that this form can mend; whoever must know was told (ERR08, API36). */
  | { kind: 'failed' }

/** Sends the whole form (FRM19, API09). The same answers keep their key until the server has answered (D13). */
export function createSave(services: Services, appId: ApplicationId): (values: FormValues) => Promise<Saved> {
  const { call, device, notices, queries, queryClient } = services
  let intent = { answers: '', key: '' }

  return async values => {
    const stored = await queryClient.ensureQueryData(queries.applicationData(appId)).catch(() => undefined)
    if (!stored) return { kind: 'failed' } // the call itself said why
    const answers = { ...toWire(tidyForm(values)), additionalData: stored.additionalData, draft: false }
    const text = JSON.stringify(answers)
    if (intent.answers !== text) intent = { answers: text, key: device.randomId() }
    const result = await call('saveData', { params: { id: appId }, body: answers }, { key: intent.key })
    if (result.ok) {
      intent = { answers: '', key: '' }
      await queryClient.invalidateQueries({ queryKey: queries.applicationData(appId).queryKey })
      notices.raise('success', { key: 'notice.dataStored' })
      return { kind: 'saved' }
    }
    const { problem } = result
    if (problem.kind !== 'refused' || sendsAway(problem.status)) return { kind: 'failed' }
    notices.raise('warning', { key: 'notice.fieldsWrong' })
    return { kind: 'faults', faults: problem.errors.flatMap(readFault) }
  }
}

function readFault(error: string | { field?: string | undefined; message?: string | undefined }): Fault[] {
  return typeof error === 'string' || error.field === undefined
    ? []
    : [{ field: error.field, message: error.message }]
}
