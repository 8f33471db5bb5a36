import type { Database, ResponseRow } from './database.ts'
import type { DatabaseRunner } from './database-runner.ts'
import type { ApplicantKey } from './applicant-key.ts'
import { encryptJson, encryptBytes, decryptJson, decryptBytes } from './encryption.ts'
import type { WriteGuard } from './write-guard.ts'

/**
 * The last responses and files of the server for this applicant, encrypted like the drafts, for use offline (D23); also
 * records of this device, such as deletion requests (LST15). While this page has no `ApplicantKey`, writes do nothing
 * and reads return undefined. A read returns undefined too for a row that cannot be decrypted. Files are PDFs.
 * @throws StorageFault
 */
export type Responses = {
  /**
   * `timeBefore`: `time` of the response that was here when the request of `value` was sent. A response that was
   * written since, and whose `time` is later than that of `value`, is not replaced.
   */
  write(name: string, value: unknown, timeBefore?: string): Promise<void>
  read(name: string): Promise<unknown>
  writeFile(name: string, file: Blob): Promise<void>
  readFile(name: string): Promise<Blob | undefined>
  remove(name: string): Promise<void>
  /** The names of the rows that begin with `prefix`; none while this page has no `ApplicantKey`. */
  namesWith(prefix: string): Promise<string[]>
}

type Parts = {
  database: Database
  runOnDatabase: DatabaseRunner
  applicantKey: () => Promise<ApplicantKey | undefined>
  mayWrite: WriteGuard['mayWrite']
}

export function createResponses({ database, runOnDatabase, applicantKey, mayWrite }: Parts): Responses {
  const findRow = async (name: string) => {
    const reader = await applicantKey()
    const row = reader && (await runOnDatabase(() => database.seen.get([reader.applicantId, name])))
    return reader && row && { reader, sealed: row.sealed, context: responseContextOf(reader, name) }
  }

  const putRow = (row: ResponseRow, timeBefore?: string) =>
    runOnDatabase(() =>
      database.transaction('rw', database.seen, async () => {
        const last = (await database.seen.get([row.applicantId, row.name]))?.time ?? ''
        // Times in UTC sort as text. If `last` is `timeBefore`, no other response was written since the request was sent: this
        // one replaces the row, also when the clock of the server was set back.
        const isOvertaken = last !== timeBefore && last > (row.time ?? last)
        if (mayWrite(row.applicantId) && !isOvertaken) await database.seen.put(row)
      }),
    )

  return {
    async write(name, value, timeBefore) {
      const writer = await applicantKey()
      if (!writer) return
      const sealed = await encryptJson(writer.key, value, responseContextOf(writer, name))
      const { time } = value as { time?: string } // a record of this device has none
      await putRow({ applicantId: writer.applicantId, name, sealed, time }, timeBefore)
    },
    async read(name) {
      const found = await findRow(name)
      return found && decryptJson(found.reader, found.sealed, found.context)
    },
    async writeFile(name, file) {
      const writer = await applicantKey()
      if (!writer) return
      const sealed = await encryptBytes(writer.key, await file.arrayBuffer(), responseContextOf(writer, name))
      await putRow({ applicantId: writer.applicantId, name, sealed })
    },
    async readFile(name) {
      const found = await findRow(name)
      const bytes = found && (await decryptBytes(found.reader, found.sealed, found.context))
      return bytes && new Blob([bytes], { type: 'application/pdf' })
    },
    async remove(name) {
      const reader = await applicantKey()
      if (reader) await runOnDatabase(() => database.seen.delete([reader.applicantId, name]))
    },
    async namesWith(prefix) {
      const reader = await applicantKey()
      if (!reader) return []
      const ofApplicant = database.seen.where({ applicantId: reader.applicantId })
      const rows = await runOnDatabase(() =>
        ofApplicant.filter(({ name }) => name.startsWith(prefix)).toArray(),
      )
      return rows.map(({ name }) => name)
    },
  }
}

/** Encryption binds a row to the applicant and its name. */
export function responseContextOf({ applicantId }: ApplicantKey, name: string): string {
  return `${applicantId}/seen/${name}`
}
