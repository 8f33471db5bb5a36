import { expect } from 'vitest'
import { cpuOf } from '../bench/server/linux-processes.ts'
import type { Bystanders } from './bystanders.ts'
import type { Cluster } from './cluster.ts'
import { type Answer, createHttpClient, type HttpClient } from './http-client.ts'
import { clientAddressHeader } from './nginx.ts'
import { printFigures } from './report.ts'
import { kindOf } from './traffic.ts'

/** What an attack sent, and what came back. */
type AttackFigures = {
  requests: number
  /** Refusals of any kind: a limit, a captcha, a wrong code, a missing right, a busy process (D92). */
  blocked: number
  /** The answers with 429, which `blocked` counts too. */
  tooMany: number
  /** 429 and 503 that do not say when to try again. */
  withoutRetryAfter: number
  /** 500, no answer at all, 502 and 504 of nginx, and each 503 that does not say `busy`. */
  failed: number
}

/** An attacker with any number of browsers and networks, all of whose requests are counted. */
export type Attack = {
  figures: Readonly<AttackFigures>
  /** A new browser of the attacker. `address`: its network, as nginx sees it. */
  browser(address: string): HttpClient
  /** A browser of the attacker that reaches one process without nginx. */
  browserAt(process: number): HttpClient
  /**
   * Prints the figures and those of `more`. `lockedOut` is the sum of the refused sign-ins of the bystanders and of
   * `more.lockedOut`. `cpuMsPerRequest` is the CPU time of the server processes since `startAttack`, divided by the
   * requests of this attack and `others`, a number of other requests.
   *
   * @throws when `lockedOut` is not 0.
   */
  printAndExpectNoLockout(title: string, more?: Record<string, number>, others?: number): Promise<void>
  close(): void
}

export function startAttack(
  { origin, processes }: Pick<Cluster, 'origin' | 'processes'>,
  bystanders: Bystanders,
): Attack {
  const figures: AttackFigures = { requests: 0, blocked: 0, tooMany: 0, withoutRetryAfter: 0, failed: 0 }
  const clients: HttpClient[] = []
  const cpuMicroseconds = () => processes.reduce((sum, each) => sum + cpuOf(each.pid() ?? 0), 0)
  const cpuAtStart = cpuMicroseconds()

  function counted(client: HttpClient): HttpClient {
    clients.push(client)
    return {
      ...client,
      async send(method, path, sent) {
        const answer = await client.send(method, path, sent)
        count(figures, answer)
        return answer
      },
    }
  }

  return {
    figures,
    browser: address => counted(openBrowserOf({ origin }, address)),
    browserAt: index => counted(createHttpClient({ origin: `http://localhost:${processes[index]?.port}` })),
    async printAndExpectNoLockout(title, more = {}, others = 0) {
      const cpuMs = (cpuMicroseconds() - cpuAtStart) / 1_000
      const lockedOut = (more['lockedOut'] ?? 0) + (await bystanders.countLockedOut())
      printFigures(title, {
        ...figures,
        ...more,
        lockedOut,
        cpuMsPerRequest: Math.round((10 * cpuMs) / Math.max(1, figures.requests + others)) / 10,
      })
      expect(lockedOut, 'refused sign-ins').toBe(0)
    },
    close: () => clients.forEach(client => client.close()),
  }
}

/** A browser in the network of `address`, for example of an ordinary person: its requests are not counted. */
export function openBrowserOf({ origin }: Pick<Cluster, 'origin'>, address: string): HttpClient {
  return createHttpClient({ origin, headers: { [clientAddressHeader]: address } })
}

function count(figures: AttackFigures, answer: Answer | undefined): void {
  figures.requests += 1
  if (['failed', 'bugs'].includes(kindOf(answer))) figures.failed += 1
  else if (answer && isRefused(answer)) figures.blocked += 1
  if (answer?.status === 429) figures.tooMany += 1
  if (answer && [429, 503].includes(answer.status) && answer.retryAfterSeconds === undefined)
    figures.withoutRetryAfter += 1
}

/** Some refusals of the sign-in have the status 200 and a reason. */
function isRefused({ status, body }: Answer): boolean {
  return status >= 400 || typeof body['reason'] === 'string'
}

/** Runs an action `times` times, at most `atOnce` of them at the same time. */
export async function repeat(
  { times, atOnce }: { times: number; atOnce: number },
  act: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: Math.min(times, atOnce) }, async () => {
      for (let index = next++; index < times; index = next++) await act(index)
    }),
  )
}
