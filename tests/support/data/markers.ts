import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FormValues } from '#contract/application.ts'

/** What an applicant types on each tab. Some answers are corrected later; the first versions are markers too. */
export const markedTabs = [
  {
    tab: 'GeneralData',
    typed: [
      ['reason', '11212'],
      ['travelDestination', 'Zorvilande'],
      ['travelDestination', 'Quimbrezac'],
      ['reasonForTravel', 'Apprendre la zythologie'],
    ],
  },
  {
    tab: 'PersonData',
    typed: [
      ['surname', 'Wakoubelle'],
      ['surname', 'Njantchoumké'],
      ['givenName', 'Ysoldine'],
      ['givenName', 'Férdinandelle'],
      ['yearOfBirth', '1987'],
      ['placeOfBirth', '11037'],
      ['city', 'Plougastrevel'],
      ['email', 'ysoldine.fx@exemple-marque.cm'],
      ['occupation', '33'],
      ['otherOccupation', 'Souffleuse de xylème'],
      ['resAddressCountry', '11037'],
      ['resAddressCity', 'Kerbistouan'],
      ['resAddressStreet', 'Ruelle Vaporeuse 7719'],
      ['resAddressStreet', 'Impasse du Gnomon 4426'],
    ],
  },
  {
    tab: 'ParentData',
    typed: [
      ['motherSurname', 'Oumbalakwé'],
      ['motherGivenName', 'Perpétuelline'],
      ['fatherSurname', 'Tchakountros'],
      ['fatherGivenName', 'Anicétou'],
      ['reprSurname', 'Mbeuzangha'],
      ['reprGivenName', 'Kaloufina'],
      ['reprPlaceOfBirth', '11037'],
      ['reprCity', 'Saint-Frusquin-Bas'],
      ['reprOccupation', '33'],
      ['reprOtherOccupation', 'Dompteur de nuages'],
      ['reprNicNumber', '730184629557'],
      ['reprNicPlaceOfIssuance', 'Bafoulabong'],
    ],
  },
  {
    tab: 'NicData',
    typed: [
      ['nicNumber', '918273645501'],
      ['nicNumber', '918273645546'],
      ['nicPlaceOfIssuance', 'Ngaoubidjaré'],
      ['eppNumber', '73920461'],
    ],
  },
] as const satisfies { tab: string; typed: (readonly [keyof FormValues, string])[] }[]

export const markedPhone = '691 83 74 26'
export const wrongPhone = '699 47 31 58'
/** Typed on the sign-in page before the applicant chose the phone instead. */
export const markedEmail = 'xanthippe.w@exemple-marque.cm'

/** Every typed string that appears nowhere else; choices from lists and years may appear elsewhere. */
export const markers: readonly string[] = [
  ...markedTabs.flatMap(({ typed }) => typed.map(([, text]) => text).filter(text => text.length > 5)),
  ...[markedPhone, wrongPhone].map(phone => phone.replaceAll(' ', '')),
  markedEmail,
]

/** Returns the markers that a text contains, in any letter case. */
export function markersIn(text: string): string[] {
  const lower = text.toLowerCase()
  return markers.filter(marker => lower.includes(marker.toLowerCase()))
}

/** Returns which files of a folder contain which markers, as UTF-8, Latin-1 or UTF-16. */
export function findMarkers(folder: string): string[] {
  return findTexts(folder, markers)
}

/**
 * Like `findMarkers`, for other texts. `decode` returns the content of a compressed file, which is searched too; undefined
 * for a file that it does not know.
 */
export function findTexts(
  folder: string,
  texts: readonly string[],
  decode: (file: Buffer) => Buffer | undefined = () => undefined,
): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(file => file.isFile())
  return files.flatMap(file => {
    const path = join(file.parentPath, file.name)
    const stored = readFileSync(path)
    const bytes = Buffer.concat([stored, decode(stored) ?? Buffer.alloc(0)])
    return texts
      .filter(marker => encodings.some(encoding => bytes.includes(Buffer.from(marker, encoding))))
      .map(marker => `${path.slice(folder.length)}: ${marker}`)
  })
}

const encodings = ['utf8', 'latin1', 'utf16le'] as const
