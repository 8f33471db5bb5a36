import * as z from 'zod/mini'
import { type ApplicationEvent, nextState } from '#contract/states.ts'
import { advanceState } from '#server/features/applications/own-application.ts'
import { endAppointments } from '#server/features/appointments/end-appointments.ts'
import { localDateTime } from '#server/features/offices/calendar.ts'
import { dayCell, textCell } from './cells.ts'
import {
  type Command,
  type CommandArguments,
  type CommandContext,
  done,
  refused,
  type Outcome,
} from './command.ts'
import {
  lockApplicationByNumber,
  type LockedApplication,
  unknownApplicationFault,
} from './lock-application.ts'
import { maskOperand } from './mask.ts'
import { limitFaults, readTable } from './read-table.ts'

/** The state that an operator names, and the event of the transition table that leads to it. */
const events = {
  READY_FOR_CM: 'made-ready',
  SENT_TO_CM: 'sent',
  FAILED: 'failed',
} as const satisfies Record<string, ApplicationEvent>
type Target = keyof typeof events

const targetList = 'READY_FOR_CM, SENT_TO_CM or FAILED'
const targets = ['READY_FOR_CM', 'SENT_TO_CM', 'FAILED'] as const satisfies readonly Target[]

export const moveCommand: Command = {
  name: 'move',
  usage: 'NUMBER… STATE | --file FILE.csv',
  operands: [0, 1_000],
  summary: 'Moves applications, named by their numbers, to READY_FOR_CM, SENT_TO_CM or FAILED',
  help: [
    'The steps are those of the transition table: READY_FOR_CM when an appointment is booked, SENT_TO_CM after that,',
    'FAILED from any state after the payment. FAILED also frees the place of an appointment that has not begun.',
    'The columns of a file are number, state and day, the day on which it happened. A future day is refused. For',
    'READY_FOR_CM the day must be that of the appointment.',
    'If one application cannot be moved, the command moves none.',
  ],
  options: { file: { type: 'string' } },
  isRecorded: true,
  async run(context, given) {
    const moves = readMoves(context, given)
    if ('kind' in moves) return moves
    const faults: string[] = []
    for (const move of moves.toSorted((one, other) => (one.number < other.number ? -1 : 1))) {
      const fault = await moveOne(context, move)
      if (fault !== undefined) faults.push(move.fault(fault))
    }
    // In a refused run a number may be any text, also a contact, which the record must not have in full.
    const about = moves.map(({ number, target }) => `${maskOperand(number)} ${target}`)
    if (faults.length > 0) return { ...refused(...limitFaults(faults)), about }
    if (moves.length === 0) return done('0 applications moved.')
    const counts = targets.map(
      target => [target, moves.filter(move => move.target === target).length] as const,
    )
    const lines = counts
      .filter(([, count]) => count > 0)
      .map(([target, count]) => `${count} moved to ${target}.`)
    return { ...done(...lines), about }
  },
}

/** `fault` writes a fault after the number, and for a file after its line. */
type Move = { number: string; target: Target; day?: string; fault: (why: string) => string }

const columns = {
  number: textCell(40),
  state: z.enum(targets, `is not ${targetList}`),
  day: dayCell(),
}

function readMoves({ openFile }: CommandContext, { operands, options }: CommandArguments): Move[] | Outcome {
  const { file } = options
  if (typeof file !== 'string') return readTyped(operands)
  if (operands.length > 0) return refused('Give numbers and a state or --file FILE.csv, not both.')
  const table = readTable(openFile(file), columns)
  if (table.kind === 'faults') return refused(...table.faults)
  return table.rows.map(row => {
    const { number, state, day } = row.values
    return { number, target: state, day, fault: why => row.fault('number', `${number}: ${why}`) }
  })
}

function readTyped(operands: string[]): Move[] | Outcome {
  const target = targets.find(each => each === operands.at(-1))
  if (target === undefined)
    return refused(`"${operands.at(-1) ?? ''}" is not ${targetList}; the state comes last.`)
  if (operands.length === 1) return refused('Give the numbers of the applications before the state.')
  return operands.slice(0, -1).map(number => ({ number, target, fault: why => `${number}: ${why}` }))
}

async function moveOne(context: CommandContext, { number, target, day }: Move): Promise<string | undefined> {
  const { trx, now } = context
  const application = await lockApplicationByNumber(trx, number)
  if (application === undefined) return unknownApplicationFault
  const { id, state } = application
  const wrongDay = day && (await dayFault(context, application, { target, day }))
  if (wrongDay) return wrongDay
  if ((await advanceState(trx, id, events[target])) !== undefined) {
    if (target === 'FAILED') await endAppointments(trx, id, now)
    return undefined
  }
  const possible = targets.filter(each => nextState(state, events[each]) !== undefined)
  if (possible.length === 0) return `It is ${state}, and this command cannot move it.`
  return `It is ${state} and can be moved only to ${possible.join(' or ')}.`
}

/** A file of another day, or with a wrong line, must not make an applicant ready who has not come yet. */
async function dayFault(
  { trx, now }: CommandContext,
  { id }: LockedApplication,
  { target, day }: { target: Target; day: string },
): Promise<string | undefined> {
  const booked = await trx
    .selectFrom('appointment')
    .innerJoin('office', 'office.id', 'appointment.office_id')
    .select(['starts_at', 'time_zone'])
    .where('application_id', '=', id)
    .where('state', '=', 'CONFIRMED')
    .executeTakeFirst()
  const today = localDateTime(booked?.time_zone ?? 'UTC', now).slice(0, 10)
  if (day > today) return `${day} has not come yet.`
  const bookedDay = booked?.starts_at?.slice(0, 10)
  if (target !== 'READY_FOR_CM' || bookedDay === undefined || bookedDay === day) return undefined
  return `Its appointment is on ${bookedDay}, not on ${day}.`
}
