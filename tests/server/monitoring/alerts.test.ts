import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

/** The names of metrics in an expression: what is neither a function, nor a label, nor a keyword. */
function metricsIn(expression: string): string[] {
  const bare = expression.replaceAll(/\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)/g, '')
  return [...bare.matchAll(/\b[a-z_]\w*\b(?!\s*\()/g)].map(([name]) => name).filter(name => name !== 'by')
}

describe('the alert rules (D93)', () => {
  it('use only metrics that a process serves', async () => {
    const names = createMetrics(server.services, server.poolLoad)
      .registry.getMetricsAsArray()
      .map(({ name }) => name)
    const known = new Set(['up', ...names, ...names.map(name => `${name}_count`)])
    const used = expressions.flatMap(metricsIn)
    expect(used.length).toBeGreaterThanOrEqual(expressions.length)
    expect(used.filter(name => !known.has(name))).toEqual([])
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
})
