import { sql } from 'kysely'
import { keptDays } from '#contract/retention.ts'
import { loadSecrets } from '#server/config/secrets.ts'
import { type EventSubject, securityEventKinds, subjectOf } from '#server/features/session/security-events.ts'
import {
  type Command,
  type CommandArguments,
  type CommandContext,
  done,
  refused,
  pluralise,
} from './command.ts'
import { findApplicant, unknownApplicantFault } from './find-applicant.ts'
import { maskOperand } from './mask.ts'
import { showTable } from './show-table.ts'

const maxShownEvents = 200

export const eventsCommand: Command = {
  name: 'events',
  usage: '[NUMBER | CONTACT] [--kind KIND] [--network NETWORK]',
  operands: [0, 1],
  summary: 'Lists sign-ins, wrong codes, changes of contacts, ended sessions and refused calls',
  help: [
    'NUMBER is the number of an application, for the events of its applicant. CONTACT is a phone number with its country',
    'code, or an e-mail address.',
    `The kinds are ${securityEventKinds.join(', ')}.`,
    'Applicants, contacts and networks are shown as codes: the same code is the same applicant, contact or network. The',
    'column "applicant" has the code of the contact when the event is about a contact, such as a wrong code. --network takes',
    `the beginning of a code of a network. The newest ${maxShownEvents} events of ${keptDays.securityEvents} days are shown.`,
    'The command "record" lists what operators did.',
  ],
  options: { kind: { type: 'string' }, network: { type: 'string' } },
  isRecorded: true,
  needsReason: true,
  async run(context, given) {
    const { kind, network } = given.options
    if (kind !== undefined && !securityEventKinds.some(each => each === kind))
      return refused(`There is no kind "${String(kind)}". The kinds are ${securityEventKinds.join(', ')}.`)
    const subjects = await readSubjects(context, given)
    if (subjects === undefined) return refused(unknownApplicantFault)
    const rows = await listEvents(context, {
      subjects,
      kind: textOf(kind),
      network: textOf(network),
    })
    const header = ['at', 'event', 'applicant', 'network', 'wide network']
    const table = showTable([header, ...rows.map(row => header.map(name => row[name] ?? ''))])
    const lines =
      rows.length === 0
        ? ['No recorded event matches what you asked for.']
        : [...table, '', `${pluralise(rows.length, 'event')}. Times are UTC.`]
    return { ...done(...lines), about: given.operands.map(maskOperand) }
  },
}

/**
 * Returns the hashes of the subjects whose events are listed; empty: all events. Undefined when the operand names no
 * applicant and is no contact.
 */
async function readSubjects(
  { trx, config }: CommandContext,
  { operands: [text] }: CommandArguments,
): Promise<string[] | undefined> {
  if (text === undefined) return []
  const { contact, applicantId } = await findApplicant(trx, text)
  if (!contact && applicantId === undefined) return undefined
  const ownContacts = applicantId
    ? await trx
        .selectFrom('contact')
        .select(['kind', 'value'])
        .where('applicant_id', '=', applicantId)
        .execute()
    : []
  const subjects: EventSubject[] = [
    ...(contact ? [contact] : []),
    ...ownContacts,
    ...(applicantId ? [{ applicantId }] : []),
  ]
  const secrets = await loadSecrets(trx, config)
  return [...new Set(subjects.map(subject => subjectOf({ secrets }, subject)))]
}

async function listEvents(
  { trx }: CommandContext,
  { subjects, kind, network }: { subjects: string[]; kind: string | null; network: string | null },
): Promise<Record<string, string>[]> {
  const { rows } = await sql<Record<string, string>>`
    select to_char(at, 'YYYY-MM-DD HH24:MI:SS') as at, kind as event, left(subject, 10) as applicant,
      left(near, 10) as network, left(wide, 10) as "wide network"
    from security_event
    where (cardinality(${subjects}::text[]) = 0 or subject = any (${subjects}::text[]))
      and (${kind}::text is null or kind = ${kind}::text)
      and (${network}::text is null or starts_with(near, ${network}::text) or starts_with(wide, ${network}::text))
    order by id desc limit ${maxShownEvents}`.execute(trx)
  return rows
}

function textOf(option: CommandArguments['options'][string]): string | null {
  return typeof option === 'string' && option !== '' ? option : null
}
