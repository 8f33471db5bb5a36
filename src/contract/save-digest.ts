import { fieldNames, type FormValues, normaliseForm } from './application.ts'
import { digestOf } from './answer-mark.ts'

/** In the `features` of `/version`: the answer to a save has the digest of what the server now has (D61). */
export const saveDigestFeature = 'saveDigest'

/**
 * Returns the digest of a form and its version. Phone and server each compute it from what they hold: equal digests
 * prove that the server has the answers of the phone.
 */
export async function digestOfForm(values: FormValues, version: number): Promise<string> {
  const form = normaliseForm(values)
  const answers = sortedNames.map(name => [name, form[name]])
  return digestOf(new TextEncoder().encode(JSON.stringify([version, ...answers])))
}

/** Sorted, because the order of fields may differ between releases. */
const sortedNames = [...fieldNames].sort()
