import type * as z from 'zod/mini'
import { type ApplicationData, type FormValues, toWire } from '#contract/application.ts'
import type { Language } from '#contract/codes.ts'
import { representativeBirthPlace } from '#contract/parent.ts'
import { birthPlace, residence } from '#contract/person.ts'
import { isHome } from '#contract/place.ts'
import { isOpen, mayChangeAppointment } from '#contract/states.ts'
import type { Configuration } from '#server/config/config.ts'
import type { WithDataKeys } from '#server/config/data-keys.ts'
import { placeNames, type PlaceNames } from '#server/features/dictionary/dictionary-handlers.ts'
import type { Caller } from '#server/calls/call.ts'
import { type FormPlace, homePlace } from './form-place.ts'
import type { ApplicationRow } from './own-application.ts'
import { decryptAnswers, decryptForm } from './stored-form.ts'
import { verifiedValues } from './verified-contact.ts'

type ApplicationDataWire = z.input<typeof ApplicationData>
type DataContext = WithDataKeys & {
  caller: Pick<Caller, 'msisdn' | 'email'>
  config: Pick<Configuration, 'changeLimit'>
  /** A random word of the database, which `after-restore` replaces (D62). */
  epoch: string
}

/**
 * The answer of API10. The server also sends it when it refuses a save because the `baseVersion` is not the stored
 * version: the client merges its changes with these values (D14).
 */
export function applicationData(
  row: ApplicationRow,
  { caller, config, epoch, secrets }: DataContext,
): ApplicationDataWire {
  const { values: storedValues, additionalData } = decryptAnswers({ secrets }, row)
  const values = withVerified(storedValues, row, caller)
  const changesLeft = Math.max(0, config.changeLimit - row.changes_used)
  return {
    ...toWire(values),
    additionalData,
    // Whether the answers may be incomplete: those of a new application, or of a draft.
    draft: row.draft,
    version: row.version,
    epoch,
    currentState: row.state,
    // Despite the prescribed names, the first and the third are places of birth.
    addressCameroonForWeb: namesInCameroon(values, birthPlace, row.language),
    resAddressCameroonForWeb: namesInCameroon(values, residence, row.language),
    reprAddressCameroonForWeb: namesInCameroon(values, representativeBirthPlace, row.language),
    changeAppointmentAccess: changesLeft > 0 && mayChangeAppointment(row.state),
    // The changes that are left, not those that were made (S08).
    appointmentChangeCount: changesLeft,
  }
}

/** The stored form. While the form can be edited, the contacts that codes have verified replace the stored ones. */
export function formOf(
  keys: WithDataKeys,
  row: Pick<ApplicationRow, 'id' | 'data' | 'state'>,
  caller: DataContext['caller'],
): FormValues {
  return withVerified(decryptForm(keys, row), row, caller)
}

function withVerified(
  values: FormValues,
  { state }: Pick<ApplicationRow, 'state'>,
  caller: DataContext['caller'],
): FormValues {
  return isOpen(state) ? { ...values, ...verifiedValues(caller) } : values
}

/** Null for a place that is not in Cameroon, or has no valid region, department and locality. */
function namesInCameroon(values: FormValues, place: FormPlace, language: Language): PlaceNames | null {
  return isHome(values[place.country]) ? placeNames(homePlace(values, place), language) : null
}
