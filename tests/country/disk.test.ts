import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FormValues } from '#contract/application.ts'
import { findTexts } from '#support/data/markers.ts'
import { type Cluster, openCluster } from './cluster.ts'
import { goToReceipt, type Promised } from './journey.ts'
import { createTraffic } from './traffic.ts'

let cluster: Cluster
/** A folder with the data and the WAL of PostgreSQL, the folder of each process, and at the end their logs. */
let disk: string

beforeAll(async () => {
  disk = mkdtempSync(join(tmpdir(), 'disk-'))
  // PostgreSQL may run as another user.
  chmodSync(disk, 0o755)
  const key = randomBytes(32).toString('hex')
  cluster = await openCluster({
    postgresqlParent: disk,
    environmentOf: index => ({ DATA_KEY: key, DATA_DIR: makeFolder(`process-${index}`) }),
  })
})
afterAll(async () => {
  await cluster?.close()
  rmSync(disk, { recursive: true, force: true })
})

describe('the disk of the service (D71)', () => {
  it('has no marked answer and no phone number of seven applicants in any file of the database or of a process', async () => {
    const applicants = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(markedApplicant)
    const journeys = await Promise.all(applicants.map(completeJourney))
    expect(journeys.map(({ isComplete }) => isComplete)).toEqual(applicants.map(() => true))
    await sql`checkpoint`.execute(cluster.db)
    makeFolder('logs')
    for (const [index, each] of cluster.processes.entries())
      writeFileSync(join(disk, 'logs', `${index}.log`), each.log())

    // The application numbers are not personal, so the files have them as they are: the search must find them.
    const numbers = journeys.map(({ applicationNumber = '' }) => applicationNumber)
    expect(foundIn(numbers)).toEqual(new Set(numbers))

    const markers = applicants.flatMap(({ subscriber, answers }) => [
      subscriber,
      ...Object.values(answers).map(String),
    ])
    expect(markers.length).toBeGreaterThanOrEqual(50)
    expect(findTexts(disk, markers)).toEqual([])
  })
})

type MarkedApplicant = { subscriber: string; answers: Partial<FormValues> }

/** An applicant whose answers occur nowhere else. */
function markedApplicant(letter: string, index: number): MarkedApplicant {
  return {
    subscriber: `67183746${index}`,
    answers: {
      givenName: `YSOLDINE WOUB${letter.toUpperCase()}`,
      motherSurname: `Oumbalakwe ${letter}`,
      motherGivenName: `Perpetuelline ${letter}`,
      fatherSurname: `Tchakountros ${letter}`,
      resAddressStreet: `Impasse du Gnomon ${letter}`,
      email: `xanthippe.${letter}@exemple-marque.cm`,
      nicNumber: `91827364554${index}`,
      nicPlaceOfIssuance: `Ngaoubidjare ${letter}`,
    },
  }
}

/** Goes from the sign-in to the receipt. Returns what the service has confirmed to the applicant. */
async function completeJourney({ subscriber, answers }: MarkedApplicant, index: number): Promise<Promised> {
  const promised: Promised = { phone: `237${subscriber}` }
  const { origin, gateway } = cluster
  await goToReceipt(
    {
      origin,
      traffic: createTraffic(),
      codes: gateway.codes,
      thinkMs: 50,
      subscriber,
      answers,
      signal: new AbortController().signal,
      localAddress: `127.1.1.${index + 1}`,
    },
    promised,
  )
  return promised
}

function foundIn(texts: readonly string[]): Set<string> {
  return new Set(findTexts(disk, texts).map(found => found.split(': ').at(-1) ?? ''))
}

function makeFolder(name: string): string {
  const path = join(disk, name)
  mkdirSync(path, { recursive: true })
  return path
}
