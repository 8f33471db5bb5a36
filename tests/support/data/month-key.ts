import type { Key } from './texts.ts'

/** '03' → the key of March. */
export function monthKey(month: string): Key {
  return `month.${Number(month)}` as Key // 1 to 12 in every golden applicant
}
