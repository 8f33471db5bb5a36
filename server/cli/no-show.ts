import { recordNoShow } from '#server/features/appointments/no-show.ts'
import { type Command, type CommandContext, done, refused, pluralise } from './command.ts'
import { lockApplicationByNumber, unknownApplicationFault } from './lock-application.ts'

export const noShowCommand: Command = {
  name: 'no-show',
  usage: 'NUMBER…',
  operands: [1, 1_000],
  summary: 'Records that applicants did not come to their appointment',
  help: [
    'The appointment must have begun. It ends, the application becomes READY_TO_RESCHEDULE, and the applicant gets a',
    'message: another appointment can be booked without paying again.',
    'If one of the applications is refused, the command changes none.',
  ],
  options: {},
  isRecorded: true,
  async run(context, { operands }) {
    const faults: string[] = []
    // Sorted, so that two commands that run at once cannot deadlock.
    for (const number of operands.toSorted()) {
      const fault = await recordOne(context, number)
      if (fault !== undefined) faults.push(`${number}: ${fault}`)
    }
    if (faults.length > 0) return refused(...faults)
    return { ...done(`${pluralise(operands.length, 'applicant')} did not come.`), about: operands }
  },
}

async function recordOne({ trx, now }: CommandContext, number: string): Promise<string | undefined> {
  const application = await lockApplicationByNumber(trx, number)
  if (application === undefined) return unknownApplicationFault
  switch (await recordNoShow(trx, application.id, now)) {
    case 'recorded':
      return undefined
    case 'no-appointment-time':
      return 'It has no confirmed appointment with a time.'
    case 'not-yet':
      return 'Its appointment has not begun.'
    case 'wrong-state':
      return `It is ${application.state}: in this state no appointment can be recorded as missed.`
  }
}
