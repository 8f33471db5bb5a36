import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export type CommandOutput = { code: number; output: string; errorOutput: string }

/**
 * Runs an office command as `npm run office -- …` does: in its own process, with files from `folder`. `code`: the exit code.
 * @throws when the process did not start, or a signal ended it.
 */
export function runOfficeCommand(
  environment: Record<string, string>,
  folder: string,
  ...typed: string[]
): Promise<CommandOutput> {
  const env = { ...process.env, INIT_CWD: folder, ...environment }
  return new Promise((resolve, reject) => {
    const args = ['server/start/start.mjs', '--office', ...typed]
    execFile(process.execPath, args, { cwd: root, env }, (error, output, errorOutput) => {
      if (error && typeof error.code !== 'number') return reject(error)
      resolve({ code: error ? Number(error.code) : 0, output, errorOutput })
    })
  })
}
