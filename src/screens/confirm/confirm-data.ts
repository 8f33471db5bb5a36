import { isHandledByScreen } from '#api/result.ts'
import { type ApplicationData, fieldNames } from '#contract/application.ts'
import type { ApplicationId } from '#contract/ids.ts'
import type { Services } from '#app/services.ts'
import { requireSynced } from '#app/require-synced.ts'

/** Confirms exactly the data that were read on the screen; true once the server has taken them (CNF08, ERR07). */
export function createConfirm(
  services: Services,
  appId: ApplicationId,
): (data: ApplicationData) => Promise<boolean> {
  const { call, device, notices, queries, queryClient, sync } = services
  let requestKey = { answers: '', key: '' }

  return async data => {
    if (!(await requireSynced(services, appId))) return false
    const body = answersOf(data)
    const answers = JSON.stringify(body)
    if (requestKey.answers !== answers) requestKey = { answers, key: device.randomId() }
    const result = await call('confirmData', { params: { id: appId }, body }, { key: requestKey.key })
    if (result.ok) {
      await queryClient.invalidateQueries({ queryKey: ['applications'] })
      // What was confirmed is the server's; a copy kept here would only grow old.
      await sync.discard(appId)
      return true
    }
    if (!isHandledByScreen(result.problem)) return false
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
