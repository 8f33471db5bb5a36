import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { readCommandLine } from '#server/cli/command-line.ts'
import { commands } from '#server/cli/commands.ts'
import { runCommand } from '#server/cli/cli.ts'
import type { Services } from '#server/calls/services.ts'
import { startTestServer, type TestServerSettings } from '#support/servers/test-server.ts'

/** For all tests of a file: a server, and the office command on its database. Both close after the tests. */
export async function startCliFixture(settings?: TestServerSettings) {
  const server = await startTestServer(settings)
  const officeCommand = openCliFixture(server.services)
  afterAll(async () => {
    officeCommand.close()
    await server.close()
  })
  return { server, officeCommand }
}

export type CliFixture = ReturnType<typeof openCliFixture>

/** The office command on the database of a server under test, and a folder for its files. */
export function openCliFixture({ db, config, clock }: Pick<Services, 'db' | 'config' | 'clock'>) {
  const folder = mkdtempSync(join(tmpdir(), 'office-'))

  /** Returns the lines of the result, of the help or of a usage error, or the faults of a refusal. */
  async function run(...args: string[]): Promise<{ kind: string; lines: string[] }> {
    const typed = readCommandLine(args, commands)
    if (typed.kind === 'help') return { kind: 'help', lines: typed.text.split('\n') }
    if (typed.kind === 'usage-error') return { kind: 'usage-error', lines: typed.why.split('\n') }
    const outcome = await runCommand(typed, { db, config, now: clock.now() })
    return { kind: outcome.kind, lines: outcome.kind === 'done' ? outcome.lines : outcome.faults }
  }

  /** Writes a file with these lines and returns its path. */
  function file(name: string, ...lines: string[]): string {
    const path = join(folder, name)
    writeFileSync(path, `${lines.join('\n')}\n`)
    return path
  }

  return { run, file, folder, close: () => rmSync(folder, { recursive: true }) }
}
