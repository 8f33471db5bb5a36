/**
 * `npm start`: builds the portal and the server when the sources or the VITE_ settings have changed since the build,
 * then runs the server in this process, so that SIGTERM reaches it. `--build-only` stops before that; `--office …` is
 * `npm run office`, a command instead of the server; `--tls` serves the demo over https. Plain JavaScript: nothing is
 * built yet.
 */
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
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
  const [option, ...args] = process.argv.slice(2)
  if (option === '--office') process.exitCode = await (await run('office.js')).runCommandLine(args)
  else if (option !== '--build-only') await serve(option)
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exitCode = 1
}

/** `--tls` is the same as TLS=on. */
function serve(option) {
  if (option === '--tls') process.env.TLS = 'on'
  return run('main.js')
}

function run(name) {
  process.setSourceMapsEnabled(true)
  return import(pathToFileURL(join(dist, 'server', name)).href)
}

/** The same range as in package.json and Vite. */
function refuseOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)) return
  throw new Error(
    `Node.js 22.12 or newer, or 20.19 or newer of 20, is needed. This is Node.js ${process.versions.node}.`,
  )
}

async function buildIfStale() {
  const sourceHash = hashSources()
  if (isBuilt(sourceHash)) return
  refuseUnwritable()
  process.stdout.write('Building the portal…\n')
  const startedAtMs = performance.now()
  removePartialBuilds()
  try {
    await buildParts()
    keepOlderAssets()
    await compressFiles(partialBuild('client'), join(dist, 'client'))
    setTimesOfAssets()
    moveIntoPlace(sourceHash)
  } finally {
    for (const part of parts) rmSync(partialBuild(part), { recursive: true, force: true })
  }
  process.stdout.write(`Built in ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s.\n`)
}

/** In production the user of the servers may not write here. Without this check the error would name only a file of Vite. */
function refuseUnwritable() {
  try {
    accessSync(existsSync(dist) ? dist : root, constants.W_OK)
  } catch {
    throw new Error(
      'The folder dist has no build of these sources with these VITE_ settings, and this user may not write one. Run "npm run build" with the same VITE_ settings, as the owner of the folder.',
    )
  }
}

/**
 * Returns one hash of all source files and of the VITE_ settings, which Vite builds in. A program that has loaded
 * vite.config.ts has the default of VITE_RELEASE in its environment, and builds the same as one that has not.
 */
function hashSources() {
  const hash = createHash('sha256')
  for (const name of sources.flatMap(filesOf)) hash.update(`${name}\0`).update(readFileSync(join(root, name)))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const settings = Object.keys(process.env).filter(
    name => name.startsWith('VITE_') && !(name === 'VITE_RELEASE' && process.env[name] === version),
  )
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

function isBuilt(sourceHash) {
  return (
    readIfThere(join(dist, 'build-of.txt')) === sourceHash &&
    parts.every(part => existsSync(join(dist, part)))
  )
}

async function buildParts() {
  const { build } = await import('vite')
  const { NODE_ENV, VITEST } = process.env
  // A build inside a test run must equal the build for applicants.
  delete process.env.VITEST
  process.env.NODE_ENV = 'production'
  try {
    const quiet = { root, logLevel: 'warn' }
    await build({ ...quiet, build: { outDir: partialBuild('client') } })
    await build({ ...quiet, build: { outDir: partialBuild('server'), ssr: true } })
  } finally {
    setOrDelete('NODE_ENV', NODE_ENV)
    setOrDelete('VITEST', VITEST)
  }
}

function setOrDelete(name, value) {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}

/** Beside its final folder and at the same depth, so that source maps stay valid after the move. */
function partialBuild(part) {
  return join(dist, `${part}.${process.pid}`)
}

/** Deletes the folders of builds whose process was killed. */
function removePartialBuilds() {
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
 * A page that was opened before this release still requests its own assets (D36), so the assets of the two releases
 * before this one stay. `dist/releases.json` lists the assets of these three, newest first.
 */
function keepOlderAssets() {
  const folder = join(partialBuild('client'), 'assets')
  const current = readdirSync(folder).toSorted()
  const older = JSON.parse(readIfThere(join(dist, 'releases.json')) ?? '[]').filter(
    release => release.join() !== current.join(),
  )
  const keptOlder = older.slice(0, keptReleases)
  for (const name of new Set(keptOlder.flat())) {
    const from = join(dist, 'client', 'assets', name)
    if (!existsSync(join(folder, name)) && existsSync(from)) copyFileSync(from, join(folder, name))
  }
  writeFileSync(
    join(partialBuild('client'), '..', 'releases.json'),
    JSON.stringify([current, ...keptOlder], null, 1),
  )
}

/**
 * The file server makes an ETag of size and time. With one time for all, an asset has the same ETag in every build and on
 * every machine, so a browser that checks it again does not load it again.
 */
function setTimesOfAssets() {
  const time = new Date('2000-01-01T00:00:00Z')
  const folder = join(partialBuild('client'), 'assets')
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), time, time)
}

function moveIntoPlace(sourceHash) {
  rmSync(join(dist, 'build-of.txt'), { force: true })
  for (const part of parts) {
    rmSync(join(dist, part), { recursive: true, force: true })
    renameSync(partialBuild(part), join(dist, part))
  }
  writeFileSync(join(dist, 'build-of.txt'), sourceHash)
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

function explain(error) {
  if (error?.code === 'ERR_MODULE_NOT_FOUND' && !existsSync(join(root, 'node_modules', 'vite')))
    return 'The packages are not installed: run "npm ci" first.'
  return error instanceof Error ? error.message : String(error)
}
