import { type Kysely, sql } from 'kysely'
import { type FormValues, toWire } from '#contract/application.ts'
import { homeTimeZone } from '#contract/codes.ts'
import { dayIn } from '#contract/dates.ts'
import { endpoints } from '#contract/endpoints.ts'
import { isOpen, statesBefore } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'
import { type Call, type Caller, refuse, type Refusal } from '#server/calls/call.ts'
import type { TransactionServices } from '#server/calls/services.ts'
import { applicationData } from './application-data.ts'
import { checkDraft, checkForm, type FormContext } from './check-form.ts'
import { applicationColumns, type ApplicationRow, findOwnApplication, stateAfter } from './own-application.ts'
import { decryptComplete, decryptForm, storedAnswers } from './stored-form.ts'

type SaveCall = Pick<Call<'saveData'>, 'caller' | 'params' | 'body'>
type Step = 'draft' | 'submit' | 'confirm'
type Saved = Pick<ApplicationRow, 'id' | 'state' | 'version' | 'data'>

/**
 * Stores a form (API09, API11) completely or not at all. One conditional statement compares the version and raises it, so
 * when two devices save at once with a `baseVersion`, the second one gets `stale-version` (D14) and overwrites nothing. A
 * save without `baseVersion`, as the specification describes it, overwrites.
 *
 * @throws when the update changes no row although state and version allow it.
 */
export async function saveForm(
  services: TransactionServices,
  call: SaveCall,
  step: Step,
): Promise<Saved | Refusal> {
  const { caller, params, body } = call
  const row = await findOwnApplication(services.db, caller, params.id)
  const refusal = refusalFor(services, { row, caller, baseVersion: body.baseVersion })
  if (!row || refusal) return refusal ?? refuse('not-found')
  const context = { caller, today: dayIn(homeTimeZone, services.clock.now()) }
  const form = step === 'draft' ? checkDraft(body, context) : checkForm(body, context)
  if (form.kind === 'faults') return invalid(form.issues)
  let complete: FormValues | undefined
  if (step === 'draft' && row.state === 'DATA_SAVED' && checkForm(body, context).kind === 'faults') {
    const { locked, paymentId, orderedAt } = await lockAndFindOrders(services, row.id)
    // The client repeats the save with the same key, so this refusal must not be stored: it has data (`isStorable`).
    if (paymentId !== undefined) return refuse('in-flight', { data: { paymentId } })
    complete = lastComplete(services, { row: locked, orderedAt }, context)
  }
  const saved = await storeForm(services, { row, values: form.values, complete, body }, step)
  if (saved) return saved
  const newest = await findOwnApplication(services.db, caller, params.id)
  const lateRefusal = refusalFor(services, { row: newest, caller, baseVersion: body.baseVersion })
  if (lateRefusal) return lateRefusal
  // Another call has confirmed the form since the first read, so an order may be open by now. This save repeats once at
  // most: the next state after that allows no save.
  if (newest?.state !== row.state) return saveForm(services, call, step)
  throw new Error('The update changed no row although the state and the version allow it')
}

/**
 * Returns whether the application has another version than the stored answer to a save names: this answer would prove a form
 * that the server no longer has (D61). False for a save without `baseVersion`, because its second run would overwrite the
 * newer form. Locks nothing: versions only rise, so `saveForm` refuses the second run also when another save comes in between.
 */
export async function isSaveOutdated(
  db: Kysely<Schema>,
  { caller, params, body }: SaveCall,
  storedAnswer: unknown,
): Promise<boolean> {
  const version = endpoints.saveData.answer.safeParse(storedAnswer).data?.data.version
  if (body.baseVersion === undefined || version === undefined) return false
  const row = await findOwnApplication(db, caller, params.id)
  return row !== undefined && row.version !== version
}

type SaveContext = { row: ApplicationRow | undefined; caller: Caller; baseVersion: number | undefined }

function refusalFor(
  { config, epoch, secrets }: TransactionServices,
  { row, caller, baseVersion }: SaveContext,
): Refusal | undefined {
  if (!row) return refuse('not-found')
  if (!isOpen(row.state)) return refuse('wrong-state')
  if (baseVersion === undefined || baseVersion === row.version) return undefined
  return refuse('stale-version', { data: applicationData(row, { caller, config, epoch, secrets }) })
}

/**
 * Locks the application, so that no order is opened and no other form is stored before this one. Returns the locked row, the
 * id of the open order (undefined without one) and the time of the last order, open or not (null without one). An open order
 * may pay for the application at any moment: then the form is closed, so an incomplete one would stay incomplete.
 */
async function lockAndFindOrders(
  { db }: TransactionServices,
  id: string,
): Promise<{ locked: ApplicationRow; paymentId: string | undefined; orderedAt: Date | null }> {
  const locked = await db
    .selectFrom('application')
    .select(applicationColumns)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const orders = await db
    .selectFrom('payment')
    .select(['id', 'status', 'created_at'])
    .where('application_id', '=', id)
    .orderBy('created_at', 'desc')
    .execute()
  const open = orders.find(({ status }) => status === 'IN_PROGRESS')
  return { locked, paymentId: open?.id, orderedAt: orders[0]?.created_at ?? null }
}

/**
 * Returns the last complete form of a confirmed application. A payment that has failed may still succeed, and then closes the
 * form: with this one, not with answers that were left incomplete.
 */
function lastComplete(
  services: TransactionServices,
  { row, orderedAt }: { row: ApplicationRow; orderedAt: Date | null },
  context: FormContext,
): FormValues | undefined {
  const stored = decryptForm(services, row)
  // An identity card may have expired since. So the form is checked for the day on which it was stored, or for the day of the
  // last order if that is later: only a complete form can be ordered, and time alone can make a form complete
  // (`dropEarlierCompleteForm`).
  const isOrdered = orderedAt !== null && orderedAt > row.updated_at
  const onItsDay = { ...context, today: dayIn(homeTimeZone, isOrdered ? orderedAt : row.updated_at) }
  const isComplete = !row.draft || checkForm(toWire(stored), onItsDay).kind !== 'faults'
  return isComplete ? stored : decryptComplete(services, row)
}

type StoreRequest = {
  /** The application as it was when the form was checked. */
  row: ApplicationRow
  values: FormValues
  complete: FormValues | undefined
  body: SaveCall['body']
}

/**
 * Undefined when the application can no longer be edited, or its version differs from the base version. Undefined also for a
 * draft when the state has changed: a draft of a new application was not checked for an open order.
 */
async function storeForm(
  services: TransactionServices,
  { row: { id, state }, values, complete, body }: StoreRequest,
  step: Step,
): Promise<Saved | undefined> {
  const { additionalData } = body
  const stored = await storedAnswers(services, id, { values, additionalData, complete })
  const update = services.db
    .updateTable('application')
    .set({
      data: sql<ApplicationRow['data']>`${stored.data}::jsonb`,
      additional_data: stored.additional_data,
      draft: step === 'draft',
      version: sql<number>`version + 1`,
      updated_at: sql<Date>`now()`,
    })
    .$if(step === 'confirm', query => query.set({ state: stateAfter('data-confirmed') }))
    .where('id', '=', id)
    .where('state', 'in', step === 'draft' ? [state] : statesBefore('data-confirmed'))
  const { baseVersion } = body
  const onBase = baseVersion === undefined ? update : update.where('version', '=', baseVersion)
  return onBase.returning(['id', 'state', 'version', 'data']).executeTakeFirst()
}

function invalid(issues: { field: string; code: string }[]): Refusal {
  return refuse('invalid', { errors: issues.map(({ field, code }) => ({ field, message: code })) })
}
