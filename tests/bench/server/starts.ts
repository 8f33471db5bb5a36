import { setTimeout as pause } from 'node:timers/promises'
import { makeFolder, startServer } from './processes.ts'

export type StartFigures = { firstSeconds: number; laterSeconds: number; restingMegabytes: number }

/** Measures the first start, which creates the tables, later starts, and the memory after ten idle seconds. */
export async function benchStarts(environment: Record<string, string>): Promise<StartFigures> {
  const folder = makeFolder()
  const settings = { ...environment, DATA_DIR: folder.path }
  try {
    const first = await startServer(settings)
    await first.stop()
    const later: number[] = []
    for (let time = 0; time < 3; time += 1) {
      const server = await startServer(settings)
      later.push(server.readyAfterSeconds)
      await server.stop()
    }
    const resting = await startServer(settings)
    await pause(10_000)
    const restingMegabytes = resting.residentMegabytes()
    await resting.stop()
    return { firstSeconds: first.readyAfterSeconds, laterSeconds: Math.min(...later), restingMegabytes }
  } finally {
    folder.remove()
  }
}
