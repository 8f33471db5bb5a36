import { execFile, type ExecFileOptions } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const repository = join(import.meta.dirname, '../../..')
const copied = [
  'vite.config.ts',
  'package.json',
  'tsconfig.json',
  'sw',
  'server/start/start.mjs',
  'server/build',
  'src/contract',
]
/** The parts that the build expects: a sheet, a script and the place of the notice. */
const page =
  '<link rel="stylesheet" href="/src/app/page.css"><script type="module" src="/src/app/main.tsx"></script><!-- noscript -->'
let folder: string

/** A checkout with one page and few server files, so that a build takes a second. The tests share it in this order. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'start-'))
  await Promise.all(copied.map(name => cp(join(repository, name), join(folder, name), { recursive: true })))
  await Promise.all(
    ['src/app', 'server', 'tests'].map(name => mkdir(join(folder, name), { recursive: true })),
  )
  await Promise.all(
    ['src', 'server', 'tests'].map(name => writeFile(join(folder, name, 'tsconfig.json'), '{}')),
  )
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'index.html'), page)
  await writeFile(join(folder, 'src/app/page.css'), 'p { margin: 0 }')
  await writePage('first')
  await writeFile(join(folder, 'server/start/main.ts'), `process.stdout.write('serving')`)
  await mkdir(join(folder, 'server/features/receipt'), { recursive: true })
  await writeFile(join(folder, 'server/features/receipt/pdf-worker.ts'), 'export default () => undefined')
  await mkdir(join(folder, 'server/cli'))
  await writeFile(
    join(folder, 'server/cli/cli.ts'),
    `export const runCommandLine = (words: string[]) => process.stdout.write(words.join()) && words.length`,
  )
})

afterAll(() => rm(folder, { recursive: true, force: true }))

describe('npm start', () => {
  it('builds at the first start and only serves at the next', async () => {
    const first = await start()
    expect(first.output).toContain('Building')
    expect(first.output).toContain('serving')
    expect((await start()).output).toBe('serving')
    const worker = await readFile(join(folder, 'dist/client/sw.js'), 'utf8')
    for (const asset of await assets()) expect(worker).toContain(asset)
  })

  it('keeps the last complete build when a build fails', async () => {
    const before = await assets()
    await writeFile(join(folder, 'src/app/main.tsx'), `import './missing.ts'`)
    const failed = await start()
    expect(failed.code).toBe(1)
    expect(failed.output).not.toContain('serving')
    expect(await assets()).toEqual(before)
    expect((await readdir(join(folder, 'dist'))).filter(name => /\.\d+$/.test(name))).toEqual([])
    await writePage('first')
  })

  it('keeps the assets of the two releases before the new one (D36)', async () => {
    const releases = [await assets()]
    for (const text of ['second', 'third', 'fourth']) {
      await writePage(text)
      await start('--build-only')
      releases.push(await assets())
    }
    expect(releases.map(names => names.length)).toEqual([1, 2, 3, 3])
    expect(releases[3]).not.toContain(releases[0]?.[0])
  })

  it('gives an unchanged file of assets the same time in each build, so that its ETag stays the same (D132)', async () => {
    const before = await timeOfWorkerCode()
    await writePage('fifth')
    await start('--build-only')
    expect(await timeOfWorkerCode()).toEqual(before)
  })
})

describe('a server whose user may not write into the release', () => {
  it('serves the build that is there, and says how to build when it has other VITE_ settings (D36)', async () => {
    await Promise.all([chmod(folder, 0o755), chmod(join(folder, 'dist'), 0o555)])
    const started = await startAsOther()
    const refused = await startAsOther({ VITE_CARD_ORIGINS: 'https://bank.example' })
    await chmod(join(folder, 'dist'), 0o755)
    expect(started).toEqual({ code: 0, output: 'serving' })
    expect(refused.code).toBe(1)
    expect(refused.output).toMatch(
      /^The folder dist has no build .* Run "npm run build" with the same VITE_ settings/,
    )
  })
})

describe('the office command', () => {
  it('runs the command instead of the server and exits with its code (D45)', async () => {
    expect(await start('--office', 'move', '--dry-run')).toEqual({ code: 2, output: 'move,--dry-run' })
  })
})

function writePage(text: string): Promise<void> {
  return writeFile(join(folder, 'src/app/main.tsx'), `document.title = '${text}'`)
}

/**
 * The scripts of the releases, without what is the same in each of them: the sheet and the code of the service worker.
 */
async function assets(): Promise<string[]> {
  const files = await readdir(join(folder, 'dist/client/assets'))
  return files.filter(file => !/^(?:style|service-worker)-/.test(file)).toSorted()
}

async function timeOfWorkerCode(): Promise<number[]> {
  const folderOfAssets = join(folder, 'dist/client/assets')
  const names = (await readdir(folderOfAssets)).filter(file => file.startsWith('service-worker-'))
  expect(names.length).toBeGreaterThan(0)
  return Promise.all(names.map(async name => (await stat(join(folderOfAssets, name))).mtimeMs))
}

/** Root may write everywhere, so when root runs the test, the server starts as another user. */
const otherUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** `output`: also what the server prints to standard error. */
async function startAsOther(
  settings: Record<string, string> = {},
): Promise<{ code: number; output: string }> {
  const env = { ...process.env, ...settings }
  const { code, output, errorOutput } = await runStart([], { env, ...otherUser })
  return { code, output: output + errorOutput }
}

async function start(...options: string[]): Promise<{ code: number; output: string }> {
  const { code, output } = await runStart(options)
  return { code, output }
}

type Ended = { code: number; output: string; errorOutput: string }

function runStart(options: string[], execution: ExecFileOptions = {}): Promise<Ended> {
  const words = ['server/start/start.mjs', ...options]
  return new Promise(resolve => {
    execFile(process.execPath, words, { cwd: folder, ...execution }, (error, output, errorOutput) => {
      const code = typeof error?.code === 'number' ? error.code : 0
      resolve({ code, output: String(output), errorOutput: String(errorOutput) })
    })
  })
}
