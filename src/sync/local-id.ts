import { toApplicationId, toApplicationNumber } from '#contract/id-text.ts'
import type { ApplicationId } from '#contract/ids.ts'

const localPrefix = 'local-'

/** What stands in the address until the server has given a number. */
export const placeholderNumber = toApplicationNumber('-')

/** The id of an application that was started without the line, until the server gives it its own (D33). */
export function localId(unique: string): ApplicationId {
  return toApplicationId(`${localPrefix}${unique}`)
}

export function isLocal(applicationId: string): boolean {
  return applicationId.startsWith(localPrefix)
}
