export interface Searchable {
  label: string
  /** Other names of the option. */
  aka?: string | undefined
}

/**
 * Returns the options in which every typed word is the start of a word, without regard to accents and case; none when no
 * word is typed. Options whose label begins with the typed text come first.
 */
export function matchOptions<Option extends Searchable>(options: readonly Option[], typed: string): Option[] {
  const starts = wordsOf(typed)
  if (starts.length === 0) return []
  const found = options.filter(({ label, aka = '' }) => {
    const words = [...wordsOf(label), ...wordsOf(aka)]
    return starts.every(start => words.some(word => word.startsWith(start)))
  })
  const begins = (option: Option) => fold(option.label).startsWith(fold(typed).trim())
  return [...found.filter(begins), ...found.filter(option => !begins(option))]
}

function wordsOf(text: string): string[] {
  return fold(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
}

/** Removes accents and case, and writes œ as oe and æ as ae, so that "coeur" finds Cœur. */
export function fold(text: string): string {
  return text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').replace(/œ/g, 'oe').replace(/æ/g, 'ae')
}
