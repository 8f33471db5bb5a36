/// <reference types="vitest/config" />
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { basename, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { parse, TYPE } from '@formatjs/icu-messageformat-parser'
import react from '@vitejs/plugin-react'
import { defineConfig, type Connect, type Plugin, type UserConfig, type ViteDevServer } from 'vite'
import { VitePWA } from 'vite-plugin-pwa'
import { groupParts, whenToCache } from './server/build/chunks.ts'
import { shortenChunkNames } from './server/build/chunk-names.ts'
import { leaveOutPreloads } from './server/build/leave-out-preloads.ts'
import { leaveOutSimulators } from './server/build/leave-out-simulators.ts'
import { isInGroup, type MessageGroup, messageGroups } from './server/build/message-groups.ts'
import { prerenderPages } from './server/build/prerender-pages.ts'
import { shortenSourceMaps } from './server/build/short-source-maps.ts'
import { shortenStyleNames } from './server/build/short-style-names.ts'
import { splitWorker } from './server/build/split-worker.ts'
import { rewriteStaticBlocks } from './server/build/static-blocks.ts'
import { writeUnsupportedNotices } from './server/build/unsupported-notices.ts'
import { helpPhone } from './src/contract/codes.ts'
import manifestOfPackage from './package.json' with { type: 'json' }

/**
 * Configures the builds of the portal with its service worker and of the server with the operator's command (`--ssr`), the
 * development server (`npm run dev`) and the tests.
 */
export default defineConfig(({ isSsrBuild }) => {
  // The portal reads the release from import.meta.env. The other variables with VITE_ come from the environment only.
  process.env['VITE_RELEASE'] ??= manifestOfPackage.version
  if (process.env['VITEST']) {
    setFlagsFromString(youngHeap) // for this process and the workers that are its threads
    return tests
  }
  return isSsrBuild ? serverBuild : portal
})

/** The oldest engines that the portal supports (D66). docs/browsers.md says which engines the tests use. */
const oldestEngines = ['chrome92', 'firefox140', 'safari18']

/** Chromium 92 lacks only one syntax that Chromium 98 has: static blocks, which rewriteStaticBlocks() rewrites. */
const scriptTargets = ['chrome98', 'firefox140', 'safari18']

/**
 * The entries of Dexie and workbox-window are ES5 builds; the supported engines (D66) do not need them. The tests use the same
 * Dexie as the portal.
 */
const modernDexie = { find: /^dexie$/, replacement: 'dexie/dist/modern/dexie.mjs' }

const portal: UserConfig = {
  // Vite reads no .env file: the build depends on the sources and the environment only.
  envDir: false,
  plugins: [
    react(),
    compileCatalogues(),
    embedApi(),
    writeUnsupportedNotices(helpPhone),
    leaveOutPreloads(),
    shortenChunkNames(),
    shortenStyleNames(),
    prerenderPages(() => [react(), compileCatalogues(), shortenStyleNames()]),
    rewriteStaticBlocks(),
    serviceWorker(),
  ],
  // The worker of pdf.js. sw/addresses.ts and src/device/trusted-script.ts recognise it by this name.
  worker: {
    format: 'es',
    plugins: () => [rewriteStaticBlocks()],
    rollupOptions: {
      checks: { bundlerTimings: false },
      output: { entryFileNames: 'assets/pdf.worker-[hash].mjs' },
    },
  },
  resolve: {
    alias: [
      modernDexie,
      { find: /^workbox-window$/, replacement: 'workbox-window/build/workbox-window.prod.mjs' },
      // This entry uses useSyncExternalStore of React; the shim is for React before 18.
      {
        find: /^use-sync-external-store\/shim\/with-selector(?:\.js)?$/,
        replacement: 'use-sync-external-store/with-selector.js',
      },
      // compileCatalogues() parses the messages at build time, so the portal needs no parser.
      {
        find: /^@formatjs\/icu-messageformat-parser$/,
        replacement: '@formatjs/icu-messageformat-parser/no-parser.js',
      },
    ],
  },
  optimizeDeps: {
    entries: ['index.html'],
    exclude: ['pdfjs-dist'],
  },
  build: {
    outDir: 'dist/client',
    target: scriptTargets,
    cssTarget: oldestEngines,
    modulePreload: {
      polyfill: false,
      // Preloads are for the pages only. A dynamic import has only the name of its chunk. A preload needs the address of
      // the file, and in Chromium 92 a script cannot read it from the import map (D131).
      resolveDependencies: (_file, names, { hostType }) => (hostType === 'html' ? names : []),
    },
    // A change of one chunk leaves the file names of the others as they are (D131).
    chunkImportMap: true,
    // One style sheet for all screens. With one for each screen, a bad connection has twenty more requests, and each that
    // fails makes its screen fail.
    cssCodeSplit: false,
    // In kB. Only pdf.js exceeds Vite's default of 500; the tests check a byte budget per route.
    chunkSizeWarningLimit: 600,
    rollupOptions: {
      checks: { bundlerTimings: false },
      // No getter of the portal or its packages has a side effect, so an unused read can go.
      treeshake: {
        propertyReadSideEffects: false,
        // react-intl calls these functions when it loads, for components that the portal does not use.
        manualPureFunctions: [
          'createFormattedComponent',
          'createFormattedDateTimePartsComponent',
          'React.memo',
        ],
      },
      // Writes the value of a constant instead of its name also where it saves no branch: fewer exports between the chunks.
      optimization: { inlineConst: true },
      output: { codeSplitting: { groups: groupParts() } },
    },
  },
}

const serverBuild: UserConfig = {
  envDir: false,
  plugins: [compileCatalogues(), leaveOutSimulators(), shortenSourceMaps()],
  // Bundles these packages. They have hundreds of small modules; to find and read them took a third of the time of a start.
  // Packages with dependencies are not bundled: Node would look for their dependencies from the folder of the bundle.
  ssr: { noExternal: ['kysely', 'zod', 'jose', 'libphonenumber-js', 'nodemailer'] },
  build: {
    ssr: true,
    rollupOptions: {
      checks: { bundlerTimings: false },
      input: {
        main: 'server/start/main.ts',
        office: 'server/cli/cli.ts',
        'pdf-worker': 'server/features/receipt/pdf-worker.ts',
      },
    },
    outDir: 'dist/server',
    target: 'node20',
    copyPublicDir: false,
    sourcemap: true,
  },
}

const journeyBench = 'tests/bench/journey/bench-journey.test.ts'
const storiesOfStore = 'tests/store/simulator.test.ts'
const phoneBench = 'tests/bench/phone/bench-phone.test.ts'

/**
 * From Node 25 on, Node has a global `localStorage` of its own, which is undefined without a file. Vitest keeps it instead
 * of the one of happy-dom (vitest-dev/vitest#8757).
 */
const withoutNodeStorage = process.allowedNodeEnvironmentFlags.has('--experimental-webstorage')
  ? ['--no-experimental-webstorage']
  : []

/**
 * For the processes of the tests. A test makes much that soon is garbage: with V8's usual 16 MB, a tenth of the CPU time of the
 * unit tests was its collection.
 */
const youngHeap = '--max-semi-space-size=64'

const tests: UserConfig = {
  envDir: false,
  plugins: [react(), compileCatalogues()],
  // The production build of React, which the tests load (react-setup.ts), has no function for elements in development.
  oxc: { jsx: { development: false } },
  resolve: { alias: [modernDexie] },
  test: {
    // More than the two cores of the smallest machine, because a worker also waits for its server or browser (D127).
    maxWorkers: 4,
    // Vitest empties all other style sheets. The server sends the text of this one (server/http/pay-page-files.ts).
    css: { include: [/\/ui\/tokens\.css/] },
    // Caches transformed files in node_modules/.experimental-vitest-cache, for all projects and the next run.
    experimental: { fsModuleCache: true },
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          environment: 'node',
          pool: 'threads',
          isolate: false,
          execArgv: withoutNodeStorage,
          ...timeoutSeconds(60),
          setupFiles: ['tests/support/fixtures/react-setup.ts'],
          include: [
            ...testsOf(
              'api',
              'app',
              'bench/figures',
              'bench/journey',
              'bench/phone',
              'bench/server',
              'build',
              'contract',
              'device',
              'i18n',
              'requirements',
              'screens',
              'session',
              'shell',
              'structure',
              'summary',
              'sw',
              'sync',
              'ui',
            ),
            'tests/bench/slow-proxy.test.ts',
          ],
          exclude: [journeyBench, phoneBench],
        },
      },
      {
        extends: true,
        test: {
          name: 'store',
          include: testsOf('store'),
          exclude: [storiesOfStore],
          setupFiles: ['fake-indexeddb/auto'],
          pool: 'forks',
          execArgv: [youngHeap],
          // To start a process and load the store in it takes more than the tests of most files.
          isolate: false,
          ...timeoutSeconds(60),
        },
      },
      {
        extends: true,
        test: {
          name: 'stories',
          include: [storiesOfStore],
          setupFiles: ['fake-indexeddb/auto'],
          // A process of its own. In a shared one, what an earlier file has left pending would run during the simulator's
          // test, and Dexie informs all threads of a process about a write.
          pool: 'forks',
          execArgv: [youngHeap],
          ...timeoutSeconds(60),
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: testsOf('server'),
          ...timeoutSeconds(60),
          pool: 'forks',
          execArgv: [youngHeap],
          // The files of one process reuse the databases that earlier files have closed, because a new one takes longer.
          isolate: false,
          globalSetup: ['tests/support/servers/postgresql-global.ts'],
          setupFiles: ['tests/support/servers/pglite-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'journeys',
          include: testsOf('journeys'),
          ...timeoutSeconds(300),
          pool: 'forks',
          execArgv: [youngHeap],
          // The files of one process share its browser. All processes share one build, and one running portal for the
          // files that need none of their own.
          isolate: false,
          globalSetup: [
            'tests/support/servers/postgresql-global.ts',
            'tests/support/servers/build-global.ts',
          ],
          setupFiles: ['tests/support/browsers/browser-setup.ts'],
          // After the projects unit, store and server, except in tests/run/run.mjs, where all files are one group (D127).
          sequence: { groupOrder: 1 },
        },
      },
      {
        // `npm run test:engines`: minutes per engine, and downloads old browsers; `npm test` runs a short form.
        extends: true,
        test: {
          name: 'engines',
          include: testsOf('engines'),
          pool: 'forks',
          globalSetup: ['tests/support/servers/build-global.ts'],
          maxWorkers: 1,
          testTimeout: 900_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // `npm run test:country`: minutes to an hour, alone on the machine; `npm test` runs a short form.
        extends: true,
        test: {
          name: 'country',
          setupFiles: ['tests/support/browsers/browser-setup.ts'],
          include: testsOf('country'),
          pool: 'forks',
          maxWorkers: 1,
          fileParallelism: false,
          testTimeout: 3_600_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // `npm run bench:receipt`: prints measurements; not part of `npm test`.
        extends: true,
        test: {
          name: 'bench-receipt',
          include: ['tests/bench/receipt.test.ts'],
          ...timeoutSeconds(300),
          pool: 'forks',
        },
      },
      {
        // `npm run bench:bytes`: writes docs/bench-bytes.md; not part of `npm test`.
        extends: true,
        test: {
          name: 'bench-bytes',
          include: ['tests/bench/bytes.test.ts'],
          ...timeoutSeconds(120),
          pool: 'forks',
        },
      },
      {
        // `npm run bench`: writes docs/bench.md, on a quiet machine only; not part of `npm test`.
        extends: true,
        test: {
          name: 'bench',
          include: ['tests/bench/bench.test.ts'],
          ...timeoutSeconds(300),
          pool: 'forks',
          globalSetup: ['tests/support/servers/build-global.ts'],
          setupFiles: ['tests/support/browsers/browser-setup.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // `npm run bench:journey`: writes docs/bench-journey.md, times on a quiet machine only; not part of `npm test`.
        extends: true,
        test: {
          name: 'bench-journey',
          include: [journeyBench],
          ...timeoutSeconds(300),
          pool: 'forks',
          globalSetup: [
            'tests/support/servers/postgresql-global.ts',
            'tests/support/servers/build-global.ts',
          ],
          setupFiles: ['tests/support/browsers/browser-setup.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // `npm run bench:phone`: writes docs/bench-phone.md; not part of `npm test`.
        extends: true,
        test: {
          name: 'bench-phone',
          include: [phoneBench],
          ...timeoutSeconds(300),
          pool: 'forks',
          globalSetup: ['tests/support/servers/build-global.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // `npm run screenshots`: writes screenshots; not part of `npm test`.
        extends: true,
        test: {
          name: 'screenshots',
          include: testsOf('screenshots'),
          ...timeoutSeconds(300),
          pool: 'forks',
          globalSetup: ['tests/support/servers/build-global.ts'],
          setupFiles: ['tests/support/browsers/browser-setup.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
}

/** Timeout of a test or a hook. The full run (FULL=1) allows 20 times as long. */
function timeoutSeconds(seconds: number): { testTimeout: number; hookTimeout: number } {
  const timeoutMs = seconds * (process.env['FULL'] === '1' ? 20_000 : 1000)
  return { testTimeout: timeoutMs, hookTimeout: timeoutMs }
}

function testsOf(...folders: string[]): string[] {
  return folders.map(folder => `tests/${folder}/**/*.test.{ts,tsx}`)
}

/**
 * `./fr.json?first` imports the messages of the group `first` as ICU trees; server/build/message-groups.ts has all groups. A
 * message that does not parse fails the build with its key.
 */
function compileCatalogues(): Plugin {
  const marker = '\0catalogue:'
  const groups = messageGroups.join('|')
  const query = new RegExp(`\\.json\\?(${groups})$`)
  const ending = new RegExp(`(?:-(${groups}))?\\.js$`)
  return {
    name: 'compile-catalogues',
    enforce: 'pre',
    async resolveId(source, importer, options) {
      const group = query.exec(source)?.[1]
      if (group === undefined) return null
      const file = await this.resolve(source.replace(/\?\w+$/, ''), importer, { ...options, skipSelf: true })
      // The ending .js prevents Vite's JSON plugin from loading the file. The new file name becomes the name of the chunk.
      return file && `${marker}${file.id.replace(/\.json$/, group === 'first' ? '.js' : `-${group}.js`)}`
    },
    async load(id) {
      if (!id.startsWith(marker)) return null
      const file = id.slice(marker.length).replace(ending, '.json')
      const group = groupOf(ending.exec(id)?.[1])
      this.addWatchFile(file)
      const texts: Record<string, string> = JSON.parse(await readFile(file, 'utf8'))
      const trees = Object.entries(texts)
        .filter(([key]) => isInGroup(key, group))
        .map(([key, text]) => [key, shorten(parseMessage(text, `${basename(file)}: ${key}`))])
      const source = JSON.stringify(JSON.stringify(Object.fromEntries(trees)))
      return { code: `export default ${lengthen}(JSON.parse(${source}))`, map: null, moduleType: 'js' }
    },
  }
}

function groupOf(name: string | undefined): MessageGroup {
  return messageGroups.find(group => group === name) ?? 'first'
}

/**
 * To save bytes, returns the literal parts of a message as plain strings, and a message that is one literal part as one
 * plain string. Parts inside a plural or a select stay as they are.
 */
function shorten(tree: ReturnType<typeof parse>) {
  const parts = tree.map(part => (part.type === TYPE.literal ? part.value : part))
  return parts.length === 1 && typeof parts[0] === 'string' ? parts[0] : parts
}

/**
 * The source text of the inverse of `shorten`. It runs where the catalogue is loaded: in the portal, in the build
 * that prerenders pages, and in tests.
 */
const lengthen = `(texts=>{for(const key in texts)texts[key]=[].concat(texts[key]).map(part=>typeof part==='string'?{type:${TYPE.literal},value:part}:part);return texts})`

function parseMessage(text: string, name: string): ReturnType<typeof parse> {
  try {
    return parse(text, { captureLocation: false })
  } catch (error) {
    throw new Error(`${name} is not an ICU message: ${String(error)}`, { cause: error })
  }
}

function serviceWorker(): Plugin[] {
  let outDir = ''
  const readOutDir: Plugin = {
    name: 'read-out-dir',
    configResolved(config) {
      outDir = config.build.outDir
    },
  }
  const worker = VitePWA({
    strategies: 'injectManifest',
    srcDir: 'sw',
    filename: 'sw.js',
    injectRegister: null,
    includeManifestIcons: false,
    integration: {
      configureCustomSWViteBuild: options => {
        options.logLevel = 'warn'
        options.plugins = [...(options.plugins ?? []), splitWorker()]
        // By default the plugin reads sw/sw.js. It renames the output, sw.mjs, to sw.js.
        Object.assign(options.build?.rollupOptions ?? {}, {
          checks: { bundlerTimings: false },
          input: 'sw/worker.ts',
          output: { entryFileNames: 'sw.mjs', codeSplitting: false },
        })
      },
    },
    injectManifest: {
      injectionPoint: 'self.filesToCache',
      globPatterns: ['**/*.{js,css,html,json,svg,png}'],
      // The worker caches pdf.js at its first use. The browser itself stores the worker's code, and loads the icons when the
      // portal is installed. The worker has the pages of `pages/` from one file in `assets/` (prerender-pages.ts).
      globIgnores: ['assets/pdf*', 'assets/service-worker-*', 'icons/*', 'icon.svg', 'pages/**'],
      manifestTransforms: [
        async entries => ({
          manifest: entries.flatMap(entry => {
            const caching = whenToCache(entry.url)
            return caching === 'never' ? [] : { ...entry, ...caching, ...integrityOf(entry, outDir) }
          }),
          warnings: [],
        }),
      ],
      dontCacheBustURLsMatching: /^assets\/.+-[\w-]{8}\.\w+$/,
    },
    manifest: {
      id: '/',
      start_url: '/',
      lang: 'fr',
      name: 'Passeport électronique – préinscription',
      short_name: 'Passeport',
      description:
        'Demander son passeport électronique, payer et prendre rendez-vous. Apply for an electronic passport.',
      display: 'standalone',
      theme_color: '#0b5a3c',
      background_color: '#f3f5f1',
      categories: ['government'],
      icons: [
        { src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png' },
        { src: '/icons/icon-512.png', sizes: '512x512', type: 'image/png' },
        { src: '/icons/maskable-192.png', sizes: '192x192', type: 'image/png', purpose: 'maskable' },
        { src: '/icons/maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
      ],
    },
  })
  return [readOutDir, ...worker]
}

/**
 * Returns the hash of a file whose name has none. During an upgrade a process of the old release may answer with its own
 * file; then the installation of the worker fails, and the page repeats it later (D131).
 */
function integrityOf({ url, revision }: { url: string; revision: string | null }, outDir: string) {
  if (revision === null) return {}
  const hash = createHash('sha256')
    .update(readFileSync(join(outDir, url)))
    .digest('base64')
  // The revision only names the entry of the cache.
  return { integrity: `sha256-${hash}`, revision: revision.slice(0, 8) }
}

/** The type of server/start/development.ts: the API without a socket, for Vite's HTTP server. */
interface DevelopmentServer {
  handle: (request: IncomingMessage, response: ServerResponse) => void
  close: () => Promise<void>
}

/**
 * `npm run dev`: serves the API, the pages of the card payment and the health check on Vite's port. Closes the API when one of
 * its files changes; the next request opens it again.
 */
function embedApi(): Plugin {
  let running: Promise<DevelopmentServer> | undefined
  let closing = Promise.resolve()

  async function open(vite: ViteDevServer): Promise<DevelopmentServer> {
    await closing // the embedded database can be open only once at a time
    const module = await vite.ssrLoadModule('/server/start/development.ts')
    return module['openDevelopmentServer']()
  }

  async function answer(
    vite: ViteDevServer,
    [request, response, next]: Parameters<Connect.NextHandleFunction>,
  ) {
    try {
      running ??= open(vite)
      const api = await running
      api.handle(request, response)
    } catch (error) {
      await close()
      next(error)
    }
  }

  function close(): Promise<void> {
    if (running) closing = closeOnce(running)
    running = undefined
    return closing
  }

  return {
    name: 'embed-api',
    apply: 'serve',
    configureServer(vite) {
      vite.middlewares.use((...call) => {
        const [request, , next] = call
        if (/^\/(?:api|health|pay)(?:[/?]|$)/.test(request.url ?? '')) void answer(vite, call)
        else next()
      })
      vite.watcher.on('change', file => {
        if (vite.environments['ssr']?.moduleGraph.getModulesByFile(file)?.size) void close()
      })
    },
    buildEnd: close,
  }
}

async function closeOnce(opening: Promise<DevelopmentServer>): Promise<void> {
  const api = await opening.catch(() => undefined) // the request that opened the API has reported the failure
  await api?.close()
}
