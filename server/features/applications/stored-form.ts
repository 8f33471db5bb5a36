import { type Kysely, sql } from 'kysely'
import * as z from 'zod/mini'
import { type FormValues, readForm } from '#contract/application.ts'
import { fromStored, underNewestKey, toStored, type WithDataKeys } from '#server/config/data-keys.ts'
import { isSealed, type SealedPlace } from '#server/crypto/sealed-values.ts'
import type { Schema } from '#server/database/schema.ts'

/** The answers of an application, and the free text that another client may keep with them. */
export type Answers = { values: FormValues; additionalData: string }

/** `complete`: the last complete form, stored beside incomplete `values`. At a payment it replaces `values` (D14). */
type AnswersToStore = Answers & { complete?: FormValues | undefined }

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

/** Decrypts the complete form that is stored beside incomplete answers; undefined without one. */
export function decryptComplete(
  keys: WithDataKeys,
  { id, data }: Pick<AnswerColumns, 'data'> & { id: string },
): FormValues | undefined {
  const { complete } = Sealed.safeParse(data).data ?? {}
  return complete === undefined ? undefined : decryptForm(keys, { id, data: { sealed: complete } })
}

/**
 * Drops the form of `decryptComplete`: answers that were incomplete when they were stored are complete now, for example because
 * a date in them is no longer in the future.
 */
export async function dropEarlierCompleteForm(db: Kysely<Schema>, id: string): Promise<void> {
  await sql`update application set data = data - 'complete'
    where id = ${id} and data ? 'sealed' and data ? 'complete'`.execute(db)
}

/** A payment closes the form: the form of `decryptComplete`, if there is one, replaces the answers (D14). */
export async function closeCompleteForm(db: Kysely<Schema>, id: string): Promise<void> {
  await sql`update application set data = jsonb_build_object('sealed', data->'complete'), draft = false, version = version + 1
    where id = ${id} and data ? 'sealed' and data ? 'complete'`.execute(db)
}

/** Whether a form was saved, and not erased since. */
export function isStored({ data }: Pick<AnswerColumns, 'data'>): boolean {
  return Object.keys(data).length > 0
}

/**
 * Returns the columns of the answers; `data` as JSON. The encrypted form holds the free text too. A complete form beside it is
 * encrypted at the same moment, so that both have one key. Before the start of the encryption none is stored.
 */
export async function storedAnswers(
  services: WithDataKeys & { db: Kysely<Schema> },
  id: string,
  { values, additionalData, complete }: AnswersToStore,
): Promise<{ data: string; additional_data: string }> {
  const toText = (form: FormValues) =>
    toStored(services, placeOf(id), JSON.stringify({ values: form, additionalData }))
  const stored = await toText(values)
  if (!isSealed(stored)) return { data: JSON.stringify(values), additional_data: additionalData }
  const beside = complete && { complete: await toText(complete) }
  return { data: JSON.stringify({ sealed: stored, ...beside }), additional_data: '' }
}

/** Returns the columns under the newest key; undefined when they are under this key already, or empty. */
export function answersUnderNewestKey(
  keys: WithDataKeys,
  { id, data, additional_data: additionalData }: AnswerColumns & { id: string },
): { data: string; additional_data: string } | undefined {
  const { sealed, complete } = Sealed.safeParse(data).data ?? {}
  const isEmpty = !isStored({ data }) && additionalData === ''
  const stored = isEmpty ? '' : (sealed ?? JSON.stringify({ values: data, additionalData }))
  const newest = underNewestKey(keys, placeOf(id), stored)
  if (newest === undefined) return undefined
  const beside = complete && { complete: underNewestKey(keys, placeOf(id), complete) ?? complete }
  return { data: JSON.stringify({ sealed: newest, ...beside }), additional_data: '' }
}

const placeOf = (id: string): SealedPlace => ({ column: 'application.data', row: id })

const Sealed = z.object({ sealed: z.string(), complete: z.optional(z.string()) })
const Opened = z.object({ values: z.record(z.string(), z.unknown()), additionalData: z.string() })
