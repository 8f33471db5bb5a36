import { toApplicationId } from '#contract/id-text.ts'
import type { ApplicationId } from '#contract/ids.ts'

const localPrefix = 'local-'

/** The id of an application that was started on this device, until the server creates it under another id (D33, D63). */
export function localId(unique: string): ApplicationId {
  return toApplicationId(`${localPrefix}${unique}`)
}

export function isLocal(applicationId: string): boolean {
  return applicationId.startsWith(localPrefix)
}
