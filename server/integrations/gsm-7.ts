/** The basic characters of GSM 03.38, one place each of an SMS's 160. */
const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
/** Two places each. */
const extended = '^{}\\[~]|€'

const stand: Record<string, string> = {
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
 * The same text in letters that every SMS can carry: one letter beyond them would halve what fits and double the
 * price. An accent that the alphabet lacks is dropped (ê, ô, ç); what has no likeness becomes a question mark.
 */
export function toGsm7(text: string): string {
  return Array.from(text.normalize('NFC'), toKnown).join('')
}

/** How many SMS a text takes, when all its letters are in the alphabet. */
export function countSegments(text: string): number {
  const places = Array.from(text).reduce((sum, letter) => sum + (extended.includes(letter) ? 2 : 1), 0)
  return places <= 160 ? 1 : Math.ceil(places / 153)
}

export function isGsm7(text: string): boolean {
  return Array.from(text).every(isKnown)
}

function toKnown(letter: string): string {
  if (isKnown(letter)) return letter
  const alike = stand[letter] ?? letter.normalize('NFD').replace(/\p{M}/gu, '')
  return Array.from(alike).every(isKnown) ? alike : '?'
}

function isKnown(letter: string): boolean {
  return basic.includes(letter) || extended.includes(letter)
}
