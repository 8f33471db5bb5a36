import { type ApplicationEvent, nextState } from '#contract/states.ts'
import { advanceState } from '#server/features/applications/own-application.ts'
import { endAppointments } from '#server/features/appointments/end-appointments.ts'
import { type Command, type CommandContext, done, failed } from './command.ts'

/** The state that an operator names, and the event of the transition table that leads to it. */
const events = {
  READY_FOR_CM: 'made-ready',
  SENT_TO_CM: 'sent',
  FAILED: 'failed',
} as const satisfies Record<string, ApplicationEvent>
type Target = keyof typeof events

export const moveCommand: Command = {
  name: 'move',
  usage: 'NUMBER… STATE',
  operands: [2, 1_000],
  summary: 'Moves applications, named by their numbers, to READY_FOR_CM, SENT_TO_CM or FAILED',
  help: [
    'The steps are those of the transition table: READY_FOR_CM when an appointment is booked, SENT_TO_CM after that,',
    'FAILED from any state after the payment. FAILED also frees the place of an appointment that has not begun.',
    'If one application cannot be moved, the command moves none.',
  ],
  options: {},
  async run(context, { operands }) {
    const target = operands.at(-1) ?? ''
    if (!isTarget(target))
      return failed(`"${target}" is not READY_FOR_CM, SENT_TO_CM or FAILED; the state comes last.`)
    const faults: string[] = []
    for (const number of operands.slice(0, -1)) {
      const fault = await moveOne(context, number, target)
      if (fault !== undefined) faults.push(fault)
    }
    return faults.length > 0 ? failed(...faults) : done(`${operands.length - 1} moved to ${target}.`)
  },
}

async function moveOne(
  { trx, now }: CommandContext,
  number: string,
  target: Target,
): Promise<string | undefined> {
  const application = await trx
    .selectFrom('application')
    .select(['id', 'state'])
    .where('number', '=', number)
    .forUpdate()
    .executeTakeFirst()
  if (application === undefined) return `${number}: There is no such application.`
  const { id, state } = application
  if ((await advanceState(trx, id, events[target])) !== undefined) {
    if (target === 'FAILED') await endAppointments(trx, id, now)
    return undefined
  }
  const possible = targets.filter(each => nextState(state, events[each]) !== undefined)
  if (possible.length === 0) return `${number}: It is ${state}, and this command cannot move it.`
  return `${number}: It is ${state} and can be moved only to ${possible.join(' or ')}.`
}

const targets: readonly Target[] = ['READY_FOR_CM', 'SENT_TO_CM', 'FAILED']

function isTarget(text: string): text is Target {
  return targets.some(target => target === text)
}
