import type { FormValues } from '#contract/application.ts'
import { representativeBirthPlace } from '#contract/parent.ts'
import { birthPlace, residence } from '#contract/person.ts'
import type { HomePlace } from '#server/features/dictionary/dictionary-handlers.ts'

/** The three places that a form asks for. */
export const formPlaces = [birthPlace, residence, representativeBirthPlace] as const
export type FormPlace = (typeof formPlaces)[number]

export function homePlace(values: FormValues, place: FormPlace): HomePlace {
  return {
    regionCode: values[place.region],
    departmentCode: values[place.department],
    localityId: values[place.locality],
  }
}
