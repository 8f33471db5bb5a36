import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'vite'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { kib, markdown } from './table.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
// Inside the project, so that the build finds its packages.
const folder = join(root, 'dist/bench-bytes')

/** The scripts that an applicant receives in French, by the stage of the journey that needs them first. */
const stages = {
  'first visit': ['start', 'rolldown-runtime', 'router', 'sign-in', 'wire', 'fr', 'workbox-window.prod'],
  'after the sign-in': ['form', 'fr-rest'],
  'from the confirmation to the receipt': ['rare', 'later', 'qr-code'],
} as const

/** The other scripts of a build: none of them is needed in French on the way to the receipt. */
const otherChunks = [
  // English, and the pages that only some applicants or the offices open.
  'en en-help en-legal en-rest en-tools en-verify',
  'account dormant end-kiosk fr-help fr-legal fr-tools fr-verify help tools verify',
  // Parts of screens that are shown only after a certain answer or event.
  'calendar-file captcha-box hand-over-code proof-of-work',
  // The receipt as a file, and the service worker.
  'pdf-drawing service-worker',
].flatMap(names => names.split(' '))

type Stage = keyof typeof stages
const stageNames = Object.keys(stages) as Stage[]

const libraries = {
  'react, react-dom, scheduler': /^(?:react|react-dom|scheduler|use-sync-external-store)$/,
  'TanStack Router': /^@tanstack\/(?:react-router|router-core|history|store|react-store)$/,
  'TanStack Query': /^@tanstack\/(?:react-query|query-core)$/,
  'react-intl, FormatJS': /^(?:react-intl|intl-messageformat|@formatjs\/)/,
  zod: /^zod$/,
  'Dexie, dexie-react-hooks': /^dexie/,
  'react-hook-form': /^react-hook-form$/,
  'workbox-window': /^workbox-window$/,
} as const

/** Compressed bytes by stage and by library, own code or own texts. */
type Shares = Record<Stage, Map<string, number>>

beforeAll(async () => {
  // Vitest sets these two. With its values vite.config.ts would describe the tests, and the build would have the
  // development version of React.
  vi.stubEnv('VITEST', undefined)
  vi.stubEnv('NODE_ENV', 'production')
  await build({ root, logLevel: 'warn', build: { outDir: folder, sourcemap: true } })
  vi.unstubAllEnvs()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('knows each script of the build', () => {
  const known = [...Object.values(stages).flat(), ...otherChunks]
  const scripts = readdirSync(join(folder, 'assets')).filter(name => name.endsWith('.js'))
  const chunks = scripts.map(name => name.replace(/-[\w-]{8}\.js$/, ''))
  // A chunk in no list would be missing in the report.
  expect(chunks.toSorted()).toEqual(known.toSorted())
})

/** Writes a report and asserts nothing: tests/journeys/bytes.test.ts has the limits. */
it('writes docs/bench-bytes.md, the libraries in the scripts of each stage', () => {
  const shares = Object.fromEntries(stageNames.map(stage => [stage, sharesOf(stages[stage])])) as Shares
  writeFileSync(join(root, 'docs/bench-bytes.md'), describeShares(shares))
})

function sharesOf(chunks: readonly string[]): Map<string, number> {
  const shares = new Map<string, number>()
  for (const chunk of chunks)
    for (const [part, bytes] of partsOf(chunk)) shares.set(part, (shares.get(part) ?? 0) + bytes)
  return shares
}

/** Divides the compressed bytes of a chunk in proportion to the characters that each source gave to it. */
function partsOf(chunk: string): Map<string, number> {
  const assets = join(folder, 'assets')
  const file = readdirSync(assets).find(name => new RegExp(`^${chunk}-[\\w-]{8}\\.js$`).test(name))
  if (file === undefined) throw new Error(`The build has no ${chunk}`)
  const text = readFileSync(join(assets, file), 'utf8').replace(/\n\/\/# sourceMappingURL=.*$/, '')
  const characters = countCharacters(text, join(assets, `${file}.map`))
  const compressed = brotliCompressSync(text).length
  const total = sum([...characters.values()]) // without line breaks, so that the parts add up to `compressed`
  return new Map([...characters].map(([part, count]) => [part, (count / total) * compressed]))
}

/** Counts the characters of each part. A chunk without a source map has only texts. */
function countCharacters(text: string, mapFile: string): Map<string, number> {
  if (!existsSync(mapFile)) return new Map([['texts', text.length]])
  const map = new SourceMap(JSON.parse(readFileSync(mapFile, 'utf8')))
  const characters = new Map<string, number>()
  for (const [row, line] of text.split('\n').entries())
    for (let column = 0; column < line.length; column += 1) {
      const entry = map.findEntry(row, column)
      const part = partOf('originalSource' in entry ? entry.originalSource : '')
      characters.set(part, (characters.get(part) ?? 0) + 1)
    }
  return characters
}

function partOf(source: string): string {
  const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(source)?.[1]
  if (name === undefined) return 'own code'
  return Object.entries(libraries).find(([, pattern]) => pattern.test(name))?.[0] ?? 'other packages'
}

const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0)

function describeShares(shares: Shares): string {
  const parts = [...Object.keys(libraries), 'other packages', 'texts', 'own code']
  const bytesOf = (stage: Stage, part: string) => shares[stage].get(part) ?? 0
  const row = (name: string, of: readonly string[]) => {
    const sizes = stageNames.map(stage => sum(of.map(part => bytesOf(stage, part))))
    return [name, ...[...sizes, sum(sizes)].map(kib)]
  }
  const table = markdown(
    ['KiB', ...stageNames, 'sum'],
    [
      ...parts.map(part => row(part, [part])),
      row('**named libraries**', Object.keys(libraries)),
      row('**all scripts**', parts),
    ],
  )
  return `# What the scripts consist of

\`npm run bench:bytes\` builds the portal with source maps and divides the compressed bytes (brotli) of each chunk in
proportion to the characters that each source gave to it. So a share is an estimate; the sum of a column is exact. The table
has only the scripts that an applicant receives in French on the way to the receipt: not the English texts, the style sheet, the
service worker, the HTML pages, the receipt as a PDF with the script that shows it, and the lists of the form. The
limits are in \`tests/journeys/bytes.test.ts\`.

${table}
`
}
