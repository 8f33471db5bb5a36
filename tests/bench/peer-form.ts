import fr from '#i18n/fr.json'
import { documentsFields } from '#contract/documents.ts'
import { generalFields } from '#contract/general.ts'
import { parentFields } from '#contract/parent.ts'
import { personFields } from '#contract/person.ts'

/** A field of the form that the peers show: form libraries with which the bench compares the portal (peers.ts). */
export type PeerField = { name: string; label: string; kind: 'text' | 'choice' | 'flag' }

/** The peers show this field before their other text fields. */
export const firstTextField = 'travelDestination'

const choices = new Set(['reason', 'gender', 'addReprData', 'reprGender', 'selectNic'])
const representative = [
  'reprGivenName',
  'reprSurname',
  'reprGender',
  'reprCountryOfResidence',
  'reprOccupation',
  'reprNicNumber',
]

/** The form of the peers: the four tabs of the portal's form, with the main fields of the representative. */
export const peerForm: readonly { title: string; fields: readonly PeerField[] }[] = [
  { title: fr['tab.GeneralData'], fields: Object.keys(generalFields).map(fieldOf) },
  { title: fr['tab.PersonData'], fields: Object.keys(personFields).map(fieldOf) },
  { title: fr['tab.ParentData'], fields: [...Object.keys(parentFields), ...representative].map(fieldOf) },
  { title: fr['tab.NicData'], fields: Object.keys(documentsFields).map(fieldOf) },
]

export const peerFieldCount = peerForm.flatMap(({ fields }) => fields).length

function fieldOf(name: string): PeerField {
  const texts: Record<string, string> = fr
  const kind = choices.has(name) ? 'choice' : name === 'dateOfBirthUnknown' ? 'flag' : 'text'
  return { name, label: texts[`field.${name}`] ?? name, kind }
}
