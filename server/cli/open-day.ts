import { isCalendarDate } from '#contract/dates.ts'
import { chooseOffices, listOffices, unknownOfficeFault } from './choose-offices.ts'
import { type Command, done, refused } from './command.ts'

export const openDayCommand: Command = {
  name: 'open-day',
  usage: 'OFFICE DATE',
  operands: [2, 2],
  summary: 'Reopens a closed day; the appointments that close-day has cancelled stay cancelled',
  help: ['OFFICE is the id of an office, or the two letters of a country for all its active offices.'],
  options: {},
  isRecorded: false,
  async run({ trx }, { operands: [text = '', day = ''] }) {
    if (!isCalendarDate(day)) return refused(`"${day}" is not a date such as 2026-12-25.`)
    const offices = chooseOffices(await listOffices(trx), text)
    if (offices.length === 0) return refused(`"${text}": ${unknownOfficeFault}.`)
    const opened = await trx
      .deleteFrom('closed_day')
      .where('day', '=', day)
      .where(
        'office_id',
        'in',
        offices.map(({ id }) => id),
      )
      .returning('office_id')
      .execute()
    if (opened.length === 0) return done(`Nothing to do: ${text} was not closed on ${day}.`)
    return done(`Open again on ${day}: ${opened.map(({ office_id: id }) => `office ${id}`).join(', ')}.`)
  },
}
