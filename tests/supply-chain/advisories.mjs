// `npm run advisories` asks the registry's service whether a package of the lockfile has a known vulnerability. Exit codes:
// 0 none is known, 1 some are, 2 nothing was checked, because the service did not answer or has no advisories. It is no
// part of `npm test`, which needs no network.

import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'

/** A package that has had a critical advisory for years: a service that does not know it knows nothing. */
const knownVulnerable = { name: 'minimist', version: '0.0.8' }

/**
 * Decides what to print, and the exit code. `probe`: the answer about a package that is known to be vulnerable, because
 * a registry may answer every question with an empty list.
 */
export function judge({ probe, production, all }) {
  const unchecked = [probe, production, all].find(each => each.kind === 'unanswered')
  if (unchecked) return notChecked(unchecked.reason)
  if (probe.vulnerable.length === 0)
    return notChecked(
      `it knows no advisory for ${knownVulnerable.name} ${knownVulnerable.version}, which has one`,
    )
  const shipped = new Set(production.vulnerable.map(({ name }) => name))
  const lines = all.vulnerable.map(
    ({ name, severity, title }) =>
      `${shipped.has(name) ? 'production' : 'development'}: ${name}: ${severity}: ${title}`,
  )
  if (lines.length === 0)
    return { exitCode: 0, lines: ['No package of the lockfile has a known vulnerability.'] }
  return {
    exitCode: 1,
    lines: [...lines.toSorted().toReversed(), 'SECURITY.md says how soon each must be gone.'],
  }
}

function notChecked(reason) {
  return { exitCode: 2, lines: [`Nothing was checked: the advisory service is of no use here: ${reason}.`] }
}

/** Reads the JSON that `npm audit` prints. */
export function readAudit(text) {
  const answer = parse(text)
  if (answer?.auditReportVersion !== 2) return { kind: 'unanswered', reason: reasonIn(answer) }
  const vulnerable = Object.values(answer.vulnerabilities).map(({ name, severity, via }) => ({
    name,
    severity,
    title: via.map(each => (typeof each === 'string' ? `through ${each}` : each.title)).join('; '),
  }))
  return { kind: 'answered', vulnerable }
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Without the address of the registry, which may be private. */
function reasonIn(answer) {
  if (typeof answer?.statusCode === 'number') return `it answered with status ${answer.statusCode}`
  return `no answer${answer?.error?.code ? ` (${answer.error.code})` : ''}`
}

function audit(folder, ...options) {
  const command = ['audit', '--json', '--package-lock-only', '--audit=true', ...options]
  const { stdout, error } = spawnSync('npm', command, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
    timeout: 120_000,
    shell: process.platform === 'win32',
  })
  return error ? { kind: 'unanswered', reason: error.message } : readAudit(stdout)
}

/** A project that depends on the vulnerable package only. */
function writeProbe(folder) {
  const { name, version } = knownVulnerable
  const dependencies = { [name]: version }
  const packages = { '': { dependencies }, [`node_modules/${name}`]: { version } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }))
}

function run() {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const folder = mkdtempSync(join(tmpdir(), 'advisories-'))
  try {
    copyFileSync(join(root, '.npmrc'), join(folder, '.npmrc'))
    writeProbe(folder)
    const probe = audit(folder)
    const isUseful = probe.kind === 'answered'
    return judge({
      probe,
      production: isUseful ? audit(root, '--omit=dev') : probe,
      all: isUseful ? audit(root) : probe,
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const { exitCode, lines } = run()
  process.stdout.write(`${lines.join('\n')}\n`)
  process.exitCode = exitCode
}
