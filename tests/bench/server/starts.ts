import { setTimeout as pause } from 'node:timers/promises'
import { makeFolder, startServer } from './processes.ts'

export type StartFigures = {
  /** The first start, which creates the tables. */
  firstSeconds: number
  /** The fastest of three starts with existing tables. */
  laterSeconds: number
  /** Memory of the process after ten seconds without a request. */
  idleMiB: number
}

/** Starts the server five times in a new data folder and measures the starts and the idle memory. */
export async function benchStarts(environment: Record<string, string>): Promise<StartFigures> {
  const folder = makeFolder()
  const settings = { ...environment, DATA_DIR: folder.path }
  try {
    const first = await startServer(settings)
    await first.stop()
    const later: number[] = []
    for (let start = 0; start < 3; start += 1) {
      const server = await startServer(settings)
      later.push(server.readyAfterSeconds)
      await server.stop()
    }
    const idle = await startServer(settings)
    await pause(10_000)
    const idleMiB = idle.residentMiB()
    await idle.stop()
    return { firstSeconds: first.readyAfterSeconds, laterSeconds: Math.min(...later), idleMiB }
  } finally {
    folder.remove()
  }
}
