import * as z from 'zod/mini'
import { noOccupation, otherOccupation } from './codes.ts'
import type { Language } from './codes.ts'

/** A back end may send ids as numbers or as text; the portal uses text. */
const idText = z.pipe(
  z.union([z.string(), z.number()]),
  z.transform(value => String(value)),
)
const nameText = z._default(z.nullable(z.string()), '')

export const Country = z.object({ id: idText, name: z.string() })
export type Country = z.output<typeof Country>

export const Division = z.object({ code: idText, name: z.string() })
export type Division = z.output<typeof Division>

/** `aka`: other known names of a locality, for the search. Not in the specification. */
export const Locality = z.object({ id: idText, name: z.string(), aka: z.optional(z.string()) })
export type Locality = z.output<typeof Locality>

/** All places of Cameroon in one answer (D35), each list in the order of the call that returns it alone. */
export const HomeRegion = z.object({
  ...Division.shape,
  departments: z.array(z.object({ ...Division.shape, localities: z.array(Locality) })),
})
export type HomeRegion = z.output<typeof HomeRegion>

export const Occupation = z.object({ id: idText, descrEn: nameText, descrFr: nameText })
export type Occupation = z.output<typeof Occupation>

export const City = z.object({ id: idText, name: z.string() })
export type City = z.output<typeof City>

/** `address` is '' or null when the street of the office is unknown. */
export const Office = z.object({ id: idText, name: z.string(), address: nameText })
export type Office = z.output<typeof Office>

export function occupationName(occupation: Occupation, language: Language): string {
  return (language === 'fr' ? occupation.descrFr : occupation.descrEn) ?? ''
}

/** Sorts by name in a language, with the blank entry first, which it adds if missing, and "other" last (DIC04, DIC05, S77). */
export function sortOccupations(occupations: readonly Occupation[], language: Language): Occupation[] {
  const blank = occupations.find(({ id }) => id === noOccupation) ?? {
    id: noOccupation,
    descrEn: '',
    descrFr: '',
  }
  const other = occupations.filter(({ id }) => id === otherOccupation)
  const rest = occupations
    .filter(({ id }) => id !== noOccupation && id !== otherOccupation)
    .sort((one, two) => occupationName(one, language).localeCompare(occupationName(two, language), language))
  return [blank, ...rest, ...other]
}
