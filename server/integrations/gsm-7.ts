/** The basic characters of GSM 03.38. Each is one septet; an SMS has room for 160 septets. */
const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
/** The extended characters. Each is two septets. */
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
 * Converts a text to the GSM 7-bit alphabet. With one character outside the alphabet an SMS has room for only 70
 * characters, so that most messages would need, and cost, two or three SMS. An accent that the alphabet lacks is removed
 * (ê, ô, ç); a character without a substitute becomes `?`.
 */
export function toGsm7(text: string): string {
  return Array.from(text.normalize('NFC'), toGsm7Character).join('')
}

/** Returns the number of SMS that a text needs, if all its characters are in the alphabet. */
export function countSegments(text: string): number {
  const septets = Array.from(text).reduce((sum, character) => sum + (extended.includes(character) ? 2 : 1), 0)
  // Each part of a longer text has 153 septets, because 7 number the part.
  return septets <= 160 ? 1 : Math.ceil(septets / 153)
}

export function isGsm7(text: string): boolean {
  return Array.from(text).every(isGsm7Character)
}

function toGsm7Character(character: string): string {
  if (isGsm7Character(character)) return character
  const substitute = substitutes[character] ?? character.normalize('NFD').replace(/\p{M}/gu, '')
  return isGsm7(substitute) ? substitute : '?'
}

function isGsm7Character(character: string): boolean {
  return basic.includes(character) || extended.includes(character)
}
