import { sql, type Transaction } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { loadSecrets } from '#server/config/secrets.ts'
import { recordEvent } from '#server/features/session/security-events.ts'
import { type Command, type CommandArguments, done, refused, pluralise } from './command.ts'
import { findApplicant, unknownApplicantFault } from './find-applicant.ts'
import { maskOperand } from './mask.ts'

export const endSessionsCommand: Command = {
  name: 'end-sessions',
  usage: 'NUMBER | CONTACT | --all',
  operands: [0, 1],
  summary: 'Ends the sessions of one applicant, or of all: they must sign in again',
  help: [
    'For an applicant whose phone was stolen, or when keys or tokens may be known to others.',
    'NUMBER is the number of an application of the applicant. CONTACT is a phone number with its country code, or an e-mail',
    'address.',
    'Sessions end at once. Form answers that were not sent yet stay on the phones.',
  ],
  options: { all: { type: 'boolean' } },
  isRecorded: true,
  needsReason: true,
  async run({ trx, config }, given) {
    const target = await readTarget(trx, given)
    if (target.kind === 'fault') return refused(target.fault)
    const ended = await trx
      .updateTable('session')
      .set({ ended_at: sql<Date>`now()` })
      .where('ended_at', 'is', null)
      .$if(target.kind === 'one', session => session.where('applicant_id', '=', target.applicantId))
      .executeTakeFirst()
    if (target.kind === 'one') {
      const secrets = await loadSecrets(trx, config)
      const subject = { applicantId: target.applicantId }
      await recordEvent(trx, { config, secrets }, { kind: 'session-ended', subject })
    }
    const about = target.kind === 'one' ? given.operands.map(maskOperand) : ['all']
    return { ...done(`${pluralise(Number(ended.numUpdatedRows), 'session')} ended.`), about }
  },
}

/** Whose sessions end. The empty id of `all` is never read; it gives both kinds the same fields. */
type Target =
  | { kind: 'one'; applicantId: string }
  | { kind: 'all'; applicantId: '' }
  | { kind: 'fault'; fault: string }

async function readTarget(
  trx: Transaction<Schema>,
  { operands: [text], options: { all } }: CommandArguments,
): Promise<Target> {
  if ((text === undefined) === (all !== true))
    return { kind: 'fault', fault: 'Give one application or contact, or --all.' }
  if (text === undefined) return { kind: 'all', applicantId: '' }
  const { contact, applicantId } = await findApplicant(trx, text)
  if (applicantId !== undefined) return { kind: 'one', applicantId }
  return { kind: 'fault', fault: contact ? 'No account has this contact.' : unknownApplicantFault }
}
