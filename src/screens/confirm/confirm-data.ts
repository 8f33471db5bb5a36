import { isForTheScreen } from '#api/result.ts'
import { type ApplicationData, fieldNames } from '#contract/application.ts'
import type { ApplicationId } from '#contract/ids.ts'
import type { Services } from '#portal/services.ts'
import { passGate } from '#portal/pass-gate.ts'

/** Confirms exactly the data that were read on the screen; true once the server has taken them (CNF08, ERR07). */
export function createConfirm(
  services: Services,
  appId: ApplicationId,
): (data: ApplicationData) => Promise<boolean> {
  const { call, device, notices, queries, queryClient, sync } = services
  let intent = { answers: '', key: '' }

  return async data => {
    if (!(await passGate(services, appId))) return false
    const body = answersOf(data)
    const answers = JSON.stringify(body)
    if (intent.answers !== answers) intent = { answers, key: device.randomId() }
    const result = await call('confirmData', { params: { id: appId }, body }, { key: intent.key })
    if (result.ok) {
      await queryClient.invalidateQueries({ queryKey: ['applications'] })
      // What was confirmed is the server's; a copy kept here would only grow old.
      await sync.forget(appId)
      return true
    }
    if (!isForTheScreen(result.problem)) return false
    notices.raise('warning', { key: 'notice.confirmFailed' })
    await queryClient.invalidateQueries({ queryKey: queries.applicationData(appId).queryKey })
    return false
  }
}

/** The form's fields and what was read back with them; the version tells the server which data were read. */
function answersOf(data: ApplicationData) {
  const form = Object.fromEntries(fieldNames.map(name => [name, data[name]]))
  return {
    ...form,
    additionalData: data.additionalData,
    draft: false,
    ...(data.version !== undefined && { baseVersion: data.version }),
  }
}
