import { cpSync, fsyncSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectPglite, type OpenDatabase } from '#server/database/connect.ts'
import type { SyncFile } from '#server/database/pglite-files.ts'
import { openPgliteFolder } from '#server/database/pglite.ts'
import { copyEmptyDatabase } from '#support/servers/empty-database.ts'
import { isFullRun } from '#support/test-tier.ts'

let home: string
let folder: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'passport-durability-'))
  folder = join(home, 'database')
})

afterEach(() => {
  rmSync(home, { recursive: true, force: true })
})

describe('a commit of the embedded database', () => {
  beforeEach(() => copyEmptyDatabase(home))

  it('is acknowledged only after fsync of its journal', async () => {
    let journalSyncs = 0
    let isOpen = false
    const database = await open((descriptor, path) => {
      if (path.includes('pg_wal')) journalSyncs += 1
      // The start syncs every file of the database, which takes seconds and shows nothing here.
      if (isOpen) fsyncSync(descriptor)
    })
    isOpen = true
    await sql`create table note (id int primary key)`.execute(database.db)
    for (let id = 1; id <= 10; id += 1) {
      const before = journalSyncs
      await sql`insert into note values (${id})`.execute(database.db)
      expect(journalSyncs).toBeGreaterThan(before)
    }
    await database.close()
  })

  it('survives a power cut in which every file loses what was not synced', async () => {
    const surviving = join(home, 'surviving')
    let hasCopy = false
    const database = await open((descriptor, path) => {
      fsyncSync(descriptor)
      if (hasCopy) copySyncedFiles(path, surviving)
    })
    cpSync(folder, surviving, { recursive: true })
    hasCopy = true
    await sql`create table note (id int primary key, text text)`.execute(database.db)
    for (let id = 1; id <= 20; id += 1) {
      await sql`insert into note values (${id}, repeat('x', 3000))`.execute(database.db)
      if (id === 10) await sql`checkpoint`.execute(database.db)
    }

    const afterCut = connectPglite(await openPgliteFolder(surviving), { dataDir: '' })
    const { rows } = await sql`select count(*) as kept, sum(length(text)) as length from note`.execute(
      afterCut.db,
    )
    expect(rows).toEqual([{ kept: 20, length: 60_000 }])
    await afterCut.close()
    await database.close()
  })

  it('is not acknowledged when fsync fails, and the next statement fails too, although fsync works again', async () => {
    let isDiskBroken = false
    const database = await open(descriptor => {
      if (isDiskBroken) throw new Error('the disk is gone')
      fsyncSync(descriptor)
    })
    await sql`create table note (id int primary key)`.execute(database.db)
    isDiskBroken = true
    await expect(sql`insert into note values (1)`.execute(database.db)).rejects.toThrow(
      'could not reach its disk',
    )
    isDiskBroken = false
    await expect(sql`select 1`.execute(database.db)).rejects.toThrow('could not reach its disk')
  })
})

describe('the folder of a new embedded database', () => {
  it.runIf(isFullRun)('is synced with its files, and so is the folder above it', async () => {
    const synced = new Set<string>()
    const database = await open((descriptor, path) => {
      synced.add(path.replace('.unfinished', ''))
      fsyncSync(descriptor)
    })
    await database.close()
    expect(synced).toContain(join(folder, 'PG_VERSION'))
    expect(synced).toContain(join(folder, 'global', 'pg_control'))
    expect(synced).toContain(folder)
    expect(synced).toContain(home)
    expect(synced.size).toBeGreaterThan(900)
  })
})

async function open(syncFile: SyncFile): Promise<OpenDatabase> {
  return connectPglite(await openPgliteFolder(folder, syncFile), { dataDir: '' })
}

/**
 * Copies a file after its fsync. A new file does not wait for the fsync of its folder, although a real power cut could lose it
 * before that. After the fsync of a folder, deletes from the copy what the folder no longer has.
 */
function copySyncedFiles(path: string, surviving: string): void {
  const survivingPath = join(surviving, relative(folder, path))
  if (statSync(path).isFile()) return cpSync(path, survivingPath)
  const names = new Set(readdirSync(path))
  for (const name of readdirSync(survivingPath)) {
    if (!names.has(name)) rmSync(join(survivingPath, name), { recursive: true })
  }
}
