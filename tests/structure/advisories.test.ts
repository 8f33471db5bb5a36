import { describe, expect, it } from 'vitest'
import { type AuditAnswer, judge, readAudit } from '../supply-chain/advisories.mjs'
import { readText } from './source-tree.ts'

const minimist = { name: 'minimist', severity: 'critical', title: 'Prototype Pollution' }
const known: AuditAnswer = { kind: 'answered', vulnerable: [minimist] }
const none: AuditAnswer = { kind: 'answered', vulnerable: [] }
const silent: AuditAnswer = { kind: 'unanswered', reason: 'no answer (ENOTFOUND)' }

describe('the check of advisories', () => {
  it.each([
    ['no package is vulnerable', { probe: known, production: none, all: none }, 0, /^No package/],
    [
      'a production package is vulnerable',
      { probe: known, production: known, all: known },
      1,
      /^production: minimist: critical: Prototype Pollution$/,
    ],
    [
      'a package of development only is vulnerable',
      { probe: known, production: none, all: known },
      1,
      /^development: minimist/,
    ],
    [
      'the service does not answer',
      { probe: silent, production: silent, all: silent },
      2,
      /^Nothing was checked.*ENOTFOUND/,
    ],
    [
      'the service does not answer the last question',
      { probe: known, production: none, all: silent },
      2,
      /^Nothing was checked/,
    ],
    [
      'the service has no advisory for a package that has one',
      { probe: none, production: none, all: none },
      2,
      /^Nothing was checked.*minimist 0\.0\.8/,
    ],
  ] as const)('when %s, says so and ends with the exit code of that case', (_, answers, exitCode, line) => {
    const verdict = judge(answers)
    expect(verdict.exitCode).toBe(exitCode)
    expect(verdict.lines[0]).toMatch(line)
  })

  it('reads what npm audit prints', () => {
    const report = {
      auditReportVersion: 2,
      vulnerabilities: {
        minimist: { name: 'minimist', severity: 'critical', via: [{ title: 'Prototype Pollution' }] },
        mkdirp: { name: 'mkdirp', severity: 'high', via: ['minimist'] },
      },
    }
    expect(readAudit(JSON.stringify(report))).toEqual({
      kind: 'answered',
      vulnerable: [minimist, { name: 'mkdirp', severity: 'high', title: 'through minimist' }],
    })
  })

  it.each([
    [JSON.stringify({ statusCode: 405, message: 'https://registry.example' }), 'it answered with status 405'],
    [JSON.stringify({ error: { code: 'ENOTFOUND', summary: 'x' } }), 'no answer (ENOTFOUND)'],
    ['<html>', 'no answer'],
    ['', 'no answer'],
  ])('takes %j for no answer, and does not print the address of a registry', (text, reason) => {
    expect(readAudit(text)).toEqual({ kind: 'unanswered', reason })
  })

  it('is run by the workflow and not by npm test, which needs no network', () => {
    const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> } // our own file
    expect(scripts['advisories']).toBe('node tests/supply-chain/advisories.mjs')
    expect(readText('.github/workflows/ci.yml')).toContain('npm run advisories')
    expect(readText('tests/run/run.mjs')).not.toContain('advisories')
  })
})
