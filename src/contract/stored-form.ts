import {
  type ApplicationData,
  emptyForm,
  fieldNames,
  type FormValues,
  fromWire,
  readForm,
} from './application.ts'

/** The server's form as it is filled in; one that has nothing yet answers with blanks, which would hide the defaults
 * (GEN01, PER04, PER08). */
export function readStored(stored: ApplicationData): FormValues {
  const blank = fieldNames.every(field => stored[field] === '' || stored[field] === false)
  return blank ? emptyForm() : readForm(fromWire(stored))
}
