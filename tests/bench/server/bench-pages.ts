import { Agent, get } from 'node:http'
import { medianOf, quantile } from '#support/checks/quantile.ts'
import { makeFolder, startServer } from './processes.ts'

/** Milliseconds from the request to the first byte of the answer. */
export type PageFigures = { path: string; medianMs: number; p95Ms: number }

/** Paths of public pages and of pages of an applicant; the last path names an application that does not exist. */
const paths = ['/', '/mobile', '/mail', '/password', '/procedure', '/help', '/verify', '/form/a/b/PersonData']

const warmRequests = 20
const requests = 200

/** Sends all requests one after the other, on one connection. */
export async function benchPages(environment: Record<string, string>): Promise<PageFigures[]> {
  const folder = makeFolder()
  const server = await startServer({ ...environment, DATA_DIR: folder.path })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    const figures: PageFigures[] = []
    for (const path of paths) {
      const times: number[] = []
      for (let index = 0; index < warmRequests + requests; index += 1) {
        const firstByteMs = await timeFirstByte(agent, `${server.origin}${path}`)
        if (index >= warmRequests) times.push(firstByteMs)
      }
      const sorted = times.toSorted((one, other) => one - other)
      figures.push({ path, medianMs: medianOf(sorted), p95Ms: quantile(sorted, 0.95) })
    }
    return figures
  } finally {
    agent.destroy()
    await server.stop()
    folder.remove()
  }
}

/** @throws when the page does not answer with 200 */
function timeFirstByte(agent: Agent, url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const startMs = performance.now()
    get(url, { agent, headers: { accept: 'text/html', 'accept-encoding': 'br' } }, response => {
      const firstByteMs = performance.now() - startMs
      if (response.statusCode !== 200) return reject(new Error(`${url}: ${String(response.statusCode)}`))
      response.resume().once('end', () => resolve(firstByteMs))
    }).once('error', reject)
  })
}
