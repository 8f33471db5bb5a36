import { countWaiting, listFailed, resend } from '#server/features/messages/failed-messages.ts'
import { type Command, type CommandContext, done, refused, type Outcome, pluralise } from './command.ts'
import { maskContact } from './mask.ts'
import { recordSentByGateway } from './messages-sent.ts'
import { showTable } from './show-table.ts'

/**
 * More rows are of no use on a screen: when so many messages have failed, the gateway is usually at fault, and
 * `--resend all` sends all that still serve their purpose.
 */
const shownMessages = 50

export const messagesCommand: Command = {
  name: 'messages',
  usage: '[--failed] | [--resend ID]… | [--resend all] | [--sent FILE.csv]',
  operands: [0, 0],
  summary: 'Counts the messages that wait; --failed lists those not sent; --resend sends them',
  help: [
    'A message has failed, for example, when no gateway accepted it for five days, or when it would come too late for its',
    'purpose, such as a reminder of an appointment that has begun. A text that still serves its purpose is kept for 90 days.',
    'The recipients are masked.',
    '--resend ID sends one message again, and may be repeated; --resend all sends every failed message that still serves its',
    'purpose. A message that would come too late, or is about an appointment that has changed or a deletion that was',
    'prevented since, is not sent again, and its text is deleted. The text of a code that was not sent is deleted too: the',
    'applicant asks for another code.',
    '--sent FILE.csv compares the list of a gateway after a restore: its column message has the ids that the portal gave',
    '(Idempotency-Key, messageId, Message-ID). A message that waits here or has failed, and that the gateway has sent, is',
    'marked as sent, unless it is a code. The other messages in the file are only counted.',
  ],
  options: {
    failed: { type: 'boolean' },
    resend: { type: 'string', multiple: true },
    sent: { type: 'string' },
  },
  isRecorded: true,
  async run(context, { options }) {
    if (['failed', 'resend', 'sent'].filter(name => options[name] !== undefined).length > 1)
      return refused('Give only one of --failed, --resend and --sent.')
    const chosen = Array.isArray(options['resend']) ? options['resend'].map(String) : []
    if (chosen.length > 0) return resendChosen(context, chosen)
    const { sent } = options
    if (typeof sent === 'string') return recordSentByGateway(context, context.openFile(sent))
    return options['failed'] === true ? showFailed(context) : showWaiting(context)
  },
}

async function showWaiting({ trx }: CommandContext): Promise<Outcome> {
  const waiting = await countWaiting(trx)
  const { count } = await listFailed(trx, 0)
  const rows = waiting.map(each => [each.channel, each.kind, String(each.count), timeOf(each.oldest)])
  const table = rows.length === 0 ? ['No message waits.'] : showTable([waitingHeader, ...rows])
  return done(...table, '', `${pluralise(count, 'message')} failed: see --failed. Times are UTC.`)
}

const waitingHeader = ['channel', 'kind', 'waiting', 'oldest']

async function showFailed({ trx }: CommandContext): Promise<Outcome> {
  const { newest, count } = await listFailed(trx, shownMessages)
  if (count === 0) return done('No message has failed.')
  const rows = newest.map(each => [
    String(each.id),
    each.kind,
    maskContact({ kind: each.recipient.includes('@') ? 'email' : 'phone', value: each.recipient }),
    timeOf(each.created_at),
    String(each.attempts),
    each.can_resend ? 'yes' : 'no',
    each.reason,
  ])
  const header = ['id', 'kind', 'recipient', 'stored', 'tries', 'resend', 'reason']
  const shown = count > newest.length ? `, the newest ${newest.length} shown` : ''
  return done(...showTable([header, ...rows]), '', `${count} failed${shown}. Times are UTC.`)
}

async function resendChosen({ trx }: CommandContext, chosen: string[]): Promise<Outcome> {
  const isAll = chosen.includes('all')
  const unreadable = isAll ? [] : chosen.filter(each => !/^\d{1,15}$/.test(each))
  if (unreadable.length > 0)
    return refused(...unreadable.map(each => `"${each}" is neither the id of a message nor all.`))
  const sent = await resend(trx, isAll ? 'all' : chosen.map(Number))
  const missing = isAll ? [] : chosen.filter(each => !sent.includes(Number(each)))
  // A refused run is rolled back as a whole.
  if (missing.length > 0)
    return refused(...missing.map(each => `${each}: No failed message that can be sent again has this id.`))
  return done(`${pluralise(sent.length, 'message')} will be sent again by the server.`)
}

function timeOf(instant: Date): string {
  return instant.toISOString().slice(0, 16).replace('T', ' ')
}
