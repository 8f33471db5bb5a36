/** The basic characters of GSM 03.38; each uses one of the 160 places of an SMS. */
const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
/** The extended characters; each uses two places. */
const extended = '^{}\\[~]|€'

const substitutes: Record<string, string> = {
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '«': '"',
  '»': '"',
  '–': '-',
  '—': '-',
  '…': '...',
  œ: 'oe',
  Œ: 'OE',
  '\u00a0': ' ',
  '\u202f': ' ',
}

/**
 * Converts a text to the GSM 7-bit alphabet. One character outside the alphabet would halve the length of an SMS and
 * double the price. An accent that the alphabet lacks is removed (ê, ô, ç); a character without a substitute becomes `?`.
 */
export function toGsm7(text: string): string {
  return Array.from(text.normalize('NFC'), toKnown).join('')
}

/** Returns the number of SMS that a text needs, if all its characters are in the alphabet. */
export function countSegments(text: string): number {
  const places = Array.from(text).reduce((sum, letter) => sum + (extended.includes(letter) ? 2 : 1), 0)
  return places <= 160 ? 1 : Math.ceil(places / 153)
}

export function isGsm7(text: string): boolean {
  return Array.from(text).every(isKnown)
}

function toKnown(letter: string): string {
  if (isKnown(letter)) return letter
  const substitute = substitutes[letter] ?? letter.normalize('NFD').replace(/\p{M}/gu, '')
  return Array.from(substitute).every(isKnown) ? substitute : '?'
}

function isKnown(letter: string): boolean {
  return basic.includes(letter) || extended.includes(letter)
}
