import type { Kysely } from 'kysely'
import * as z from 'zod/mini'
import { type FormValues, readForm } from '#contract/application.ts'
import { fromStored, underNewestKey, toStored, type WithDataKeys } from '#server/config/data-keys.ts'
import { isSealed, type SealedPlace } from '#server/crypto/sealed-values.ts'
import type { Schema } from '#server/database/schema.ts'

/** The answers of an application, and the free text that another client may keep with them. */
export type Answers = { values: FormValues; additionalData: string }

type AnswerColumns = { data: Record<string, unknown>; additional_data: string }

/** Decrypts the answers of an application. Answers from before the start of the encryption may be plain (D71). */
export function decryptAnswers(
  keys: WithDataKeys,
  { id, data, additional_data: additionalData }: AnswerColumns & { id: string },
): Answers {
  const sealed = Sealed.safeParse(data).data?.sealed
  if (sealed === undefined) return { values: readForm(data), additionalData }
  const opened = Opened.parse(JSON.parse(fromStored(keys, placeOf(id), sealed)))
  return { values: readForm(opened.values), additionalData: opened.additionalData }
}

/** As `decryptAnswers`, but returns only the form. */
export function decryptForm(
  keys: WithDataKeys,
  row: Pick<AnswerColumns, 'data'> & { id: string },
): FormValues {
  return decryptAnswers(keys, { ...row, additional_data: '' }).values
}

/** Whether a form was saved, and not erased since. */
export function isStored({ data }: Pick<AnswerColumns, 'data'>): boolean {
  return Object.keys(data).length > 0
}

/** Returns the columns of the answers; `data` as JSON. The encrypted form holds the free text too. */
export async function storedAnswers(
  services: WithDataKeys & { db: Kysely<Schema> },
  id: string,
  { values, additionalData }: Answers,
): Promise<{ data: string; additional_data: string }> {
  const stored = await toStored(services, placeOf(id), JSON.stringify({ values, additionalData }))
  return isSealed(stored)
    ? { data: JSON.stringify({ sealed: stored }), additional_data: '' }
    : { data: JSON.stringify(values), additional_data: additionalData }
}

/** Returns the columns under the newest key; undefined when they are that already, or empty. */
export function answersUnderNewestKey(
  keys: WithDataKeys,
  { id, data, additional_data: additionalData }: AnswerColumns & { id: string },
): { data: string; additional_data: string } | undefined {
  const sealed = Sealed.safeParse(data).data?.sealed
  const isEmpty = !isStored({ data }) && additionalData === ''
  const stored = isEmpty ? '' : (sealed ?? JSON.stringify({ values: data, additionalData }))
  const newest = underNewestKey(keys, placeOf(id), stored)
  return newest === undefined ? undefined : { data: JSON.stringify({ sealed: newest }), additional_data: '' }
}

const placeOf = (id: string): SealedPlace => ({ column: 'application.data', row: id })

const Sealed = z.object({ sealed: z.string() })
const Opened = z.object({ values: z.record(z.string(), z.unknown()), additionalData: z.string() })
