import {
  type ApplicationData,
  emptyForm,
  fieldNames,
  type FormValues,
  fromWire,
  readForm,
} from './application.ts'

/**
 * Reads the form that the server sent, for editing. `ApplicationData` has '' or false for a field that the server did not
 * send. A form that was never saved is all blank: then returns the defaults (GEN01, PER04, PER08). In a saved form a blank
 * field stays blank.
 */
export function readStored(stored: ApplicationData): FormValues {
  const blank = fieldNames.every(field => stored[field] === '' || stored[field] === false)
  return blank ? emptyForm() : readForm(fromWire(stored))
}
