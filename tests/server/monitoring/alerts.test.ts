import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { once } from 'node:events'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { configOf } from '#support/servers/services-on.ts'
import { createMetrics, serveMetrics } from '#server/monitoring/metrics.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

const read = (path: string) => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8')
const rules = read('operations/alerts.yaml')
const expressions = [...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, expression = '']) => expression)

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ offices: 'none' })
})
afterAll(() => server.close())

/** The words of the query language that are neither functions nor metrics. */
const keywords = /\b(?:by|ignoring|on|without) \([^)]*\)|\bignoring\([^)]*\)|\b(?:and|or)\b/g

/** The names of metrics in an expression: what is neither a function, nor a label, nor a keyword. */
function metricsIn(expression: string): string[] {
  const bare = expression.replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, '').replaceAll(keywords, '')
  return [...bare.matchAll(/\b[a-z_]\w*\b(?!\s*\()/g)].map(([name]) => name)
}

function knownMetrics(): Set<string> {
  const names = createMetrics(server.services, server.poolLoad)
    .registry.getMetricsAsArray()
    .map(({ name }) => name)
  return new Set(['up', ...names, ...names.flatMap(name => [`${name}_count`, `${name}_bucket`])])
}

const Dashboard = z.object({
  panels: z.array(
    z.object({
      id: z.number(),
      type: z.string(),
      title: z.string().check(z.minLength(1)),
      description: z.optional(z.string()),
      gridPos: z.object({ h: z.number(), w: z.number(), x: z.number(), y: z.number() }),
      targets: z.optional(z.array(z.object({ refId: z.string(), expr: z.string() }))),
    }),
  ),
})
const { panels } = Dashboard.parse(JSON.parse(read('operations/dashboard.json')))

describe('the dashboard (D105)', () => {
  const shown = panels.filter(({ type }) => type !== 'row')

  it('uses only metrics that a process serves, and every panel says what it shows', () => {
    const known = knownMetrics()
    expect(shown.length).toBeGreaterThan(20)
    for (const { title, description, targets = [] } of shown) {
      expect(description, title).toMatch(/\.$/)
      expect(targets, title).not.toEqual([])
      expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length)
      const used = targets.flatMap(({ expr }) => metricsIn(expr))
      expect(used.length, title).toBeGreaterThanOrEqual(targets.length)
      expect(
        used.filter(name => !known.has(name)),
        title,
      ).toEqual([])
    }
  })

  it('has an id and cells of its own for each panel', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: h * w }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24)
  })

  it('shows each metric of the alerts', () => {
    const onDashboard = new Set(
      shown.flatMap(({ targets = [] }) => targets).flatMap(({ expr }) => metricsIn(expr)),
    )
    expect(expressions.flatMap(metricsIn).filter(name => !onDashboard.has(name))).toEqual([])
  })
})

describe('the alert rules (D93)', () => {
  it('use only metrics that a process serves', () => {
    const known = knownMetrics()
    const used = expressions.flatMap(metricsIn)
    expect(used.length).toBeGreaterThanOrEqual(expressions.length)
    expect(used.filter(name => !known.has(name))).toEqual([])
  })

  it('come with a runbook that names only metrics that a process serves', () => {
    const named = [...read('runbook.md').matchAll(/`([a-z]+_[a-z_]+)(?:\{[^`]*)?`/g)].map(
      ([, name = '']) => name,
    )
    const metrics = named.filter(name => /_(?:total|seconds|bucket|count|ratio|open|due|waiting)$/.test(name))
    expect(metrics.length).toBeGreaterThan(10)
    const known = knownMetrics()
    expect(metrics.filter(name => !known.has(name))).toEqual([])
  })

  it('tell within three minutes that the database answers no process (D105)', () => {
    const [, age, minutes] =
      /time\(\) - min\(database_figures_read_seconds\) > (\d+)\n +for: (\d+)m$/m.exec(rules) ?? []
    expect(Number(age) / 60 + Number(minutes)).toBeLessThanOrEqual(3)
  })

  it('name a section of the runbook each', () => {
    const sections = [...read('runbook.md').matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
      title.toLowerCase().replaceAll(' ', '-'),
    )
    const named = [...rules.matchAll(/runbook: ([\w-]+)/g)].map(([, section = '']) => section)
    expect(named).toHaveLength(expressions.length)
    expect(named.filter(section => !sections.includes(section))).toEqual([])
  })
})

describe('the service levels of the runbook', () => {
  /** The goals in seconds, such as "95 % within 2 s". Other goals, such as "99 % within a day", have no bucket. */
  const levels = [...read('runbook.md').matchAll(/within (\d+) s \| `(\w+)_bucket`/g)].map(
    ([, seconds = '', name = '']) => ({ seconds: Number(seconds), name }),
  )

  it.each(levels)(
    'have a bucket at the goal, so that no figure is interpolated: $seconds s of $name',
    ({ seconds, name }) => {
      const { registry } = createMetrics(server.services, server.poolLoad)
      const metric = registry.getSingleMetric(name)
      expect(metric).toHaveProperty('upperBounds', expect.arrayContaining([seconds]))
    },
  )

  it('name at least two goals in seconds', () => {
    expect(levels.length).toBeGreaterThanOrEqual(2)
  })

  it('have an alert for the time of the answers', () => {
    expect(expressions).toContainEqual(expect.stringMatching(/http_request_seconds_bucket.* > 2$/))
  })

  it('have a panel for the first metric of each', () => {
    const table = read('runbook.md').split('## Service levels')[1]?.split('\n## ')[0] ?? ''
    const named = [...table.matchAll(/^\|.*\| `(\w+)`/gm)].map(([, name = '']) => name)
    const onDashboard = new Set(
      panels.flatMap(({ targets = [] }) => targets).flatMap(({ expr }) => metricsIn(expr)),
    )
    expect(named.length).toBeGreaterThanOrEqual(6)
    expect(named.filter(name => !onDashboard.has(name))).toEqual([])
  })
})

describe('the metrics of a process (D93)', () => {
  it('count refused calls and the connections, on loopback only by default', async () => {
    const metrics = createMetrics(server.services, server.poolLoad)
    metrics.observeShed('sign-in')
    const served = await serveMetrics(metrics.registry, { port: 0, host: configOf().metricsHost })
    const address = served.address()
    expect(address).toMatchObject({ address: '127.0.0.1' })
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const asked = request({ port, host: '127.0.0.1', path: '/metrics' }).end()
    const [answer] = await once(asked, 'response')
    let text = ''
    for await (const chunk of answer) text += String(chunk)
    expect(text).toContain('shed_requests_total{priority="sign-in"} 1')
    expect(text).toMatch(/database_connections\{state="limit"\} \d+/)
    served.close()
  })

  it('come from a server that ignores no error after its start', async () => {
    const served = await serveMetrics(new Registry(), { port: 0, host: configOf().metricsHost })
    expect(() => served.emit('error', new Error('no connection accepted'))).toThrow('no connection accepted')
    served.close()
  })
})
