/**
 * `npm start`: builds the portal and the server when the sources are newer than the build, then runs the server in
 * this process, so that SIGTERM reaches it. `--build-only` stops before that; `--office …` is `npm run office`, a
 * command instead of the server; `--tls` serves the demo over https. Plain JavaScript: nothing is built yet.
 */
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { compressFiles } from '../build/compress-files.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const dist = join(root, 'dist')
const sources = [
  'index.html',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'vite.config.ts',
  'public',
  'server',
  'src',
  'sw',
]
const parts = ['client', 'server']
const keptReleases = 2

try {
  refuseOldNode()
  await buildIfStale()
  const [what, ...words] = process.argv.slice(2)
  if (what === '--office') process.exitCode = await (await run('office.js')).runCommandLine(words)
  else if (what !== '--build-only') await serve(what)
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exitCode = 1
}

/** `--tls` is TLS=on, in words that fit on a command line. */
function serve(what) {
  if (what === '--tls') process.env.TLS = 'on'
  return run('main.js')
}

function run(name) {
  process.setSourceMapsEnabled(true)
  return import(pathToFileURL(join(dist, 'server', name)).href)
}

/** The range of package.json and of Vite. */
function refuseOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)) return
  throw new Error(
    `Node.js 20.19 or newer (22.12 or newer of 22) is needed; this is ${process.versions.node}.`,
  )
}

async function buildIfStale() {
  const wanted = describeSources()
  if (isBuilt(wanted)) return
  process.stdout.write('Building the portal…\n')
  const began = performance.now()
  removeHalfBuilds()
  try {
    await buildParts()
    keepOlderAssets()
    await compressFiles(halfBuilt('client'), join(dist, 'client'))
    putInPlace(wanted)
  } finally {
    for (const part of parts) rmSync(halfBuilt(part), { recursive: true, force: true })
  }
  process.stdout.write(`Built in ${((performance.now() - began) / 1000).toFixed(1)} s.\n`)
}

/** One hash of every source file and of the settings that Vite builds in. */
function describeSources() {
  const hash = createHash('sha256')
  for (const name of sources.flatMap(filesOf)) hash.update(`${name}\0`).update(readFileSync(join(root, name)))
  const settings = Object.keys(process.env).filter(name => name.startsWith('VITE_'))
  for (const name of settings.toSorted()) hash.update(`${name}=${process.env[name]}\0`)
  return hash.digest('hex')
}

function filesOf(name) {
  const path = join(root, name)
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [name]
  return readdirSync(path)
    .toSorted()
    .flatMap(child => filesOf(`${name}/${child}`))
}

function isBuilt(wanted) {
  return (
    readIfThere(join(dist, 'build-of.txt')) === wanted && parts.every(part => existsSync(join(dist, part)))
  )
}

async function buildParts() {
  const { build } = await import('vite')
  const { NODE_ENV, VITEST } = process.env
  // A test run that builds must get what an applicant gets.
  delete process.env.VITEST
  process.env.NODE_ENV = 'production'
  try {
    const quiet = { root, logLevel: 'warn' }
    await build({ ...quiet, build: { outDir: halfBuilt('client') } })
    await build({ ...quiet, build: { outDir: halfBuilt('server'), ssr: true } })
  } finally {
    setOrDelete('NODE_ENV', NODE_ENV)
    setOrDelete('VITEST', VITEST)
  }
}

function setOrDelete(name, value) {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}

/** Beside its final place and as deep, so that source maps stay right after the move. */
function halfBuilt(part) {
  return join(dist, `${part}.${process.pid}`)
}

/** Left by a build that was killed. */
function removeHalfBuilds() {
  mkdirSync(dist, { recursive: true })
  for (const name of readdirSync(dist)) {
    const pid = /^(?:client|server)\.(\d+)$/.exec(name)?.[1]
    if (pid && !isAlive(Number(pid))) rmSync(join(dist, name), { recursive: true, force: true })
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/**
 * A page opened before this release still asks for the files of its own (D36): those of the last two releases stay.
 * `dist/releases.json` lists the assets of each, newest first.
 */
function keepOlderAssets() {
  const folder = join(halfBuilt('client'), 'assets')
  const current = readdirSync(folder).toSorted()
  const older = JSON.parse(readIfThere(join(dist, 'releases.json')) ?? '[]').filter(
    release => release.join() !== current.join(),
  )
  const kept = older.slice(0, keptReleases)
  for (const name of new Set(kept.flat())) {
    const from = join(dist, 'client', 'assets', name)
    if (!existsSync(join(folder, name)) && existsSync(from)) copyFileSync(from, join(folder, name))
  }
  writeFileSync(join(halfBuilt('client'), '..', 'releases.json'), JSON.stringify([current, ...kept], null, 1))
}

function putInPlace(wanted) {
  rmSync(join(dist, 'build-of.txt'), { force: true })
  for (const part of parts) {
    rmSync(join(dist, part), { recursive: true, force: true })
    renameSync(halfBuilt(part), join(dist, part))
  }
  writeFileSync(join(dist, 'build-of.txt'), wanted)
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

function explain(error) {
  if (error?.code === 'ERR_MODULE_NOT_FOUND' && !existsSync(join(root, 'node_modules', 'vite')))
    return 'The packages are not installed: run "npm ci" first.'
  return error instanceof Error ? error.message : String(error)
}
