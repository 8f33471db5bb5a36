import type { FormValues } from '#contract/application.ts'
import { representativeBirthPlace } from '#contract/parent.ts'
import { birthPlace, residence } from '#contract/person.ts'
import type { HomePlace } from '#server/features/dictionary/dictionary-handlers.ts'

/** The form's three places, each with the names of its fields. */
export const formPlaces = [birthPlace, residence, representativeBirthPlace] as const
export type FormPlace = (typeof formPlaces)[number]

/** Reads the dictionary codes of a place from the form; '' when the applicant has not chosen the part. */
export function homePlace(values: FormValues, place: FormPlace): HomePlace {
  return {
    regionCode: values[place.region],
    departmentCode: values[place.department],
    localityId: values[place.locality],
  }
}
