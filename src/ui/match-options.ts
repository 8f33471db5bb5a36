export interface Searchable {
  label: string
  /** Other names it is known by. */
  also?: string | undefined
}

/** The options in which every typed word begins a word, accents and case aside; the best placed first. */
export function matchOptions<Option extends Searchable>(options: readonly Option[], typed: string): Option[] {
  const sought = wordsOf(typed)
  if (sought.length === 0) return []
  const found = options.filter(({ label, also = '' }) => {
    const words = [...wordsOf(label), ...wordsOf(also)]
    return sought.every(start => words.some(word => word.startsWith(start)))
  })
  const begins = (option: Option) => fold(option.label).startsWith(fold(typed).trim())
  return [...found.filter(begins), ...found.filter(option => !begins(option))]
}

function wordsOf(text: string): string[] {
  return fold(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
}

/** Letters as they are without accents, so that "cote d ivoire" finds Côte d’Ivoire. */
function fold(text: string): string {
  return text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').replace(/œ/g, 'oe').replace(/æ/g, 'ae')
}
