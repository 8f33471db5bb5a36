import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findChromium } from '#support/browsers/chromium.ts'

const version = '12.8.2'
const timeoutMs = 300_000
const categories = ['performance', 'accessibility', 'best-practices'] as const

/**
 * Runs Lighthouse on a page. Returns the rest of a sentence that begins with "Lighthouse", for the report of the
 * benchmark. When Lighthouse did not run, the sentence says why. Lighthouse is not a dependency of this repository: npm
 * downloads it if the registry is reachable.
 */
export async function runLighthouse(url: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'lighthouse-'))
  const file = join(folder, 'report.json')
  const options = [
    'exec',
    '--yes',
    `--package=lighthouse@${version}`,
    '--',
    'lighthouse',
    url,
    '--quiet',
    `--only-categories=${categories.join()}`,
    '--chrome-flags=--headless=new --no-sandbox --disable-gpu',
    '--output=json',
    `--output-path=${file}`,
  ]
  try {
    await promisify(execFile)('npm', options, {
      // Outside the repository, so that npm does not change its packages.
      cwd: folder,
      env: { ...process.env, CHROME_PATH: findChromium() },
      timeout: timeoutMs,
    })
    return describeReport(url, JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    return `${version} did not run (${String(error).split('\n')[0]}); not measured.`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Report = { categories: Record<string, { score: number | null }> }

function describeReport(url: string, report: Report): string {
  const scores = categories.map(name => {
    const score = report.categories[name]?.score
    return `${name} ${typeof score === 'number' ? Math.round(score * 100) : '–'}`
  })
  return `${version} with its mobile profile, \`${new URL(url).pathname}\`: ${scores.join(', ')} (goal: ≥ 98, 100, 100).`
}
