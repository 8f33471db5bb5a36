import { benchBookings } from './bench-bookings.ts'
import { benchJourneys } from './bench-journeys.ts'
import { benchLargeTables } from './bench-large-tables.ts'
import { benchPages } from './bench-pages.ts'
import { benchReleaseDay } from './bench-release-day.ts'
import { benchSoak, shortestSoakMinutes } from './bench-soak.ts'
import {
  type Row,
  rowsOfBookings,
  rowsOfJourneys,
  rowsOfLargeTables,
  rowsOfPages,
  rowsOfReleaseDay,
  rowsOfSoak,
  rowsOfStarts,
} from './rows.ts'
import { benchStarts } from './starts.ts'

const releaseDay = { processes: 3, bookers: [1_000, 2_000] }

/**
 * The values of the command line. `minutes`: of the journeys, and of the soak. `rounds`: of bookings; a round measures
 * pgbench, the data layer and HTTP, each for `seconds`. `applications`: in the large tables.
 */
type Settings = {
  minutes: string
  seconds: string
  rounds: string
  applications?: string | undefined
  only?: string | undefined
}

/** `createDatabase` creates an empty database and returns its URL. */
type Part = {
  name: string
  run: (createDatabase: (name: string) => Promise<string>) => Promise<Row[]>
}

const usualApplications = 1_000_000

/** @throws when `--only` names no part, and when it names another part than `large-tables` beside `--applications` */
export function chooseParts({ minutes, seconds, rounds, applications, only }: Settings): Part[] {
  const usual = usualParts({ minutes: Number(minutes), rounds: Number(rounds), seconds: Number(seconds) })
  const largeTables = largeTablesPart(Number(applications ?? usualApplications))
  if (applications !== undefined && (only ?? largeTables.name) !== largeTables.name)
    throw new Error(`--applications changes only ${largeTables.name}, not ${only}.`)
  if (only === undefined) return applications === undefined ? usual : [largeTables]
  const all = [...usual, soakPart(Number(minutes)), largeTables]
  const part = all.find(({ name }) => name === only)
  if (part !== undefined) return [part]
  throw new Error(`--only ${only} is unknown. Use ${all.map(({ name }) => name).join(', ')}.`)
}

type UsualSettings = { minutes: number; rounds: number; seconds: number }

function usualParts({ minutes, rounds, seconds }: UsualSettings): Part[] {
  return [
    {
      name: 'bookings',
      run: async create => rowsOfBookings(await benchBookings(await create('bookings'), { rounds, seconds })),
    },
    {
      name: 'journeys',
      async run(create) {
        const rows: Row[] = []
        for (const processes of [1, 3])
          rows.push(
            ...rowsOfJourneys(
              await benchJourneys(await create(`journeys_${processes}`), { minutes, processes }),
            ),
          )
        return rows
      },
    },
    {
      name: 'release-days',
      async run(create) {
        const days = await benchReleaseDay(await create('release'), releaseDay)
        return days.flatMap(day => rowsOfReleaseDay(day, releaseDay.processes))
      },
    },
    {
      name: 'starts',
      run: async create =>
        rowsOfStarts(await benchStarts({}), await benchStarts({ DATABASE_URL: await create('starts') })),
    },
    {
      name: 'pages',
      run: async create => rowsOfPages(await benchPages({ DATABASE_URL: await create('pages') })),
    },
  ]
}

function soakPart(minutes: number): Part {
  return {
    name: 'soak',
    async run(create) {
      const rows = rowsOfSoak(await benchSoak(await create('soak'), minutes))
      return minutes < shortestSoakMinutes ? [tooShort, ...rows] : rows
    },
  }
}

const tooShort: Row = {
  name: 'too short: the caches of the server still fill',
  measured: '',
  goal: `--minutes ${shortestSoakMinutes} or more`,
}

function largeTablesPart(applications: number): Part {
  return {
    name: 'large-tables',
    run: async create => rowsOfLargeTables(await benchLargeTables(await create('large'), applications)),
  }
}
