import { isHandledByScreen } from '#api/result.ts'
import { type ApplicationData, fieldNames } from '#contract/application.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { type LoadedServices, useLoadedServices } from '#app/services.ts'
import { refreshAfterRestore } from '#app/refresh-after-restore.ts'
import { requireSynced } from '#app/require-synced.ts'
import { useRecheckState } from '#app/use-recheck-state.ts'
import { useRequestKey } from '#app/use-request-key.ts'

/**
 * Returns a function that confirms exactly the data on the screen. It resolves to true when the server has accepted them
 * (CNF08, ERR07). `isWarned`: the screen has said from its start that this device cannot read its draft (D74).
 */
export function useConfirm(
  appId: ApplicationId,
): (data: ApplicationData, options: { isWarned: boolean }) => Promise<boolean> {
  const services = useLoadedServices()
  const { call, navigation, notices, queries, queryClient, sync } = services
  const recheckState = useRecheckState()
  const requestKey = useRequestKey()

  return async (data, options) => {
    const status = sync.status(appId)
    // What another tab saves from now on is not confirmed, nor what the applicant types after leaving this page.
    const atPress = 'draft' in status ? status.draft.values : undefined
    const hasLeft = navigation.watchLeaving()
    const isOlder = await refreshAfterRestore(services, appId, data)
    // The read of the draft may take long, and the applicant may have gone back to change these answers.
    if (hasLeft()) return false
    if (!(await requireSynced(services, appId, { ...options, isOlder }))) return false
    const body = answersOf(data)
    const result = await call('confirmData', { params: { id: appId }, body }, { key: requestKey.of(body) })
    if (result.ok) {
      const { version, epoch } = result.value.data
      // Starts at once: during the waits below the next applicant may sign in.
      const saving = saveConfirmed(services, appId, { ...data, version, epoch }, atPress)
      // The connection may be lost before the list is read again.
      await queries.rememberConfirmed(appId)
      await queryClient.invalidateQueries({ queryKey: queries.keyOf('applications') })
      // These reads share the round trip in which the guard of the next screen reads the list.
      void queryClient.prefetchQuery(queries.paymentMethods(appId))
      void queryClient.prefetchQuery(queries.lastSuccessfulPayment(appId))
      void queryClient.prefetchQuery(queries.paymentAttempts(appId))
      await saving
      return true
    }
    if (!isHandledByScreen(result.problem)) return false
    requestKey.forget()
    await queryClient.invalidateQueries({ queryKey: queries.applicationData(appId).queryKey })
    // If another page has opened, it shows the state of the application: a notice would not fit there.
    if (!(await recheckState())) notices.raise('warning', { key: 'notice.confirmFailed' })
    return false
  }
}

/**
 * Saves the confirmed answers as the server's form: a server that is restored from a backup may have older ones (D62).
 * Without their version a later merge would take them for a change of this device, so the draft is discarded.
 */
function saveConfirmed(
  { sync }: Pick<LoadedServices, 'sync'>,
  ...confirmed: Parameters<LoadedServices['sync']['saveConfirmed']>
): Promise<void> {
  const [appId, { version }] = confirmed
  return version === undefined ? sync.discard(appId) : sync.saveConfirmed(...confirmed)
}

/** The fields as the applicant read them. The version tells the server which data these are. */
function answersOf(data: ApplicationData) {
  const form = Object.fromEntries(fieldNames.map(name => [name, data[name]]))
  return {
    ...form,
    additionalData: data.additionalData,
    draft: false,
    ...(data.version !== undefined && { baseVersion: data.version }),
  }
}
