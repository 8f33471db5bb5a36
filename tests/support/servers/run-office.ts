import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export type CommandOutput = { code: number; output: string; errorOutput: string }

/** Runs `npm run office -- …` as an operator does: in its own process, with files from this folder. */
export function runOfficeCommand(
  environment: Record<string, string>,
  folder: string,
  ...typed: string[]
): Promise<CommandOutput> {
  const env = { ...process.env, INIT_CWD: folder, ...environment }
  return new Promise(resolve => {
    const args = ['server/start/start.mjs', '--office', ...typed]
    execFile(process.execPath, args, { cwd: root, env }, (error, output, errorOutput) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output, errorOutput })
    })
  })
}
