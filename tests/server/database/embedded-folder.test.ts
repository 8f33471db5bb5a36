import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectDatabase } from '#server/database/connect.ts'
import { isFullRun } from '#support/test-tier.ts'
import { copyEmptyDatabase } from '#support/servers/empty-database.ts'
import { bundleChild, type ChildProcessHandle } from './child.ts'

let dataDir: string
let child: ChildProcessHandle | undefined
let writerProgram: Awaited<ReturnType<typeof bundleChild>>

beforeAll(async () => {
  writerProgram = await bundleChild('child-writes.ts')
})
afterAll(() => writerProgram.remove())

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'passport-database-'))
  await copyEmptyDatabase(dataDir)
})

afterEach(async () => {
  await child?.kill()
  rmSync(dataDir, { recursive: true, force: true })
})

describe('the folder of the embedded database', () => {
  it('cannot be opened by a second process, whose error names the folder, until the first one is killed', async () => {
    child = writerProgram.start(dataDir)
    expect(await child.nextLine()).toBe('1')

    await expect(connectDatabase({ dataDir })).rejects.toThrow(
      `Another process has the database in ${join(dataDir, 'database')} open.`,
    )

    await child.kill()
    const { db, close } = await connectDatabase({ dataDir })
    const { rows } = await sql`select half from pair where number = 1 order by half`.execute(db)
    expect(rows).toEqual([{ half: 1 }, { half: 2 }])
    await close()
  })

  it('is locked under another path too, and free after its database is closed', async () => {
    const alias = `${dataDir}-alias`
    symlinkSync(dataDir, alias)
    const first = await connectDatabase({ dataDir })

    await expect(connectDatabase({ dataDir: alias })).rejects.toThrow('Another process has the database')

    await first.close()
    const second = await connectDatabase({ dataDir: alias })
    await second.close()
    rmSync(alias)
  })

  it('keeps every acknowledged transaction complete when the process that writes is killed', async () => {
    for (const lines of isFullRun ? [10, 40, 90] : [10, 60]) {
      child = writerProgram.start(dataDir)
      const confirmed = await linesUntilKilled(child, lines)
      const { db, close } = await connectDatabase({ dataDir })
      const { rows } = await sql<{ number: number; halves: number }>`
        select number, count(*) as halves from pair group by number order by number`.execute(db)
      await close()

      expect(confirmed.length).toBeGreaterThanOrEqual(lines)
      expect(rows.every(({ halves }) => halves === 2)).toBe(true)
      const stored = new Set(rows.map(({ number }) => String(number)))
      expect(confirmed.filter(number => !stored.has(number))).toEqual([])
    }
  })
})

/** Kills the writing process when it has printed this many lines. Returns all its lines that have arrived. */
async function linesUntilKilled(writer: ChildProcessHandle, lines: number): Promise<string[]> {
  const confirmed: string[] = []
  let killed: Promise<void> | undefined
  for (let line = await writer.nextLine(); line !== undefined; line = await writer.nextLine()) {
    confirmed.push(line)
    if (confirmed.length === lines) killed = writer.kill()
  }
  await killed
  return confirmed
}
