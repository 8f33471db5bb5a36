import { readImports, type Import } from './imports.ts'
import type { SourceFile } from './source-tree.ts'

interface Border {
  /**
   * Folders or files of this repository, relative to `src`, or to the root when they begin with `server/`. `types of x`
   * allows only `import type`.
   */
  paths: readonly string[]
  /**
   * Package names. `zod/mini` allows only this part of the package. `any` allows every package except `browserPackages`.
   */
  packages: readonly string[] | 'any'
}

const reactPackages = ['react', 'react-dom', 'react-intl'] as const
const screenPackages = [
  ...reactPackages,
  '@tanstack/react-query',
  '@tanstack/react-router',
  'react-hook-form',
  'dexie-react-hooks',
  'pdfjs-dist',
  'altcha-lib',
  'libphonenumber-js',
  '@noble/ed25519',
] as const
const screenPaths = [
  'sign-in',
  'case-file',
  'ui',
  'i18n',
  'contract',
  'summary',
  'app/services',
  'app/lazy-part',
  'app/notices',
  'app/page-link',
  'app/tab-addresses',
  'types of store',
  'api/queries',
  'api/result',
  'sync/check-synced',
  'sync/local-id',
  'sync/receipts',
  'types of sync',
  'app/refresh-after-restore',
  'app/require-synced',
  'app/use-invalidate',
  'app/use-navigate-unless-left',
  'app/use-recheck-state',
  'app/use-request-key',
  'device/create-turns',
  'device/do-nothing',
  'device/load-with-retry',
  'device/observable',
  'device/unload-warning',
] as const

// The rules of imports as data. The row of a file is the longest key that names the file, without its extension, or a
// folder around it.
// The files of one folder, as `folderOf` defines it, may always import each other; a screen may import no other screen.
const borders = {
  'src/contract': { paths: [], packages: ['zod/mini', 'zod/v4/core'] },
  'src/device': {
    paths: ['contract/codes', 'contract/ids'],
    packages: ['workbox-window', 'virtual:pwa-register'],
  },
  'src/store': { paths: ['contract', 'device'], packages: ['dexie'] },
  'src/api': { paths: ['contract', 'device'], packages: ['zod/mini'] },
  'src/api/queries': { paths: ['contract', 'device'], packages: ['@tanstack/react-query'] },
  'src/api/newest-read': { paths: [], packages: ['@tanstack/react-query'] },
  'src/api/automatic-reads': { paths: [], packages: ['@tanstack/react-query'] },
  'src/session': { paths: ['contract', 'device', 'store', 'api'], packages: ['zod/mini'] },
  'src/sync': { paths: ['contract', 'device', 'store', 'api', 'session'], packages: [] },
  'src/i18n': {
    paths: ['contract', 'device/load-with-retry', 'device/observable', 'types of device'],
    packages: [...reactPackages, '@formatjs/intl'],
  },
  'src/ui': { paths: [], packages: ['react', 'react-dom', 'uqr'] },
  'src/summary': { paths: ['contract', 'i18n', 'ui'], packages: reactPackages },
  'src/screens': { paths: screenPaths, packages: screenPackages },
  // These four screens are hydrated without the router (D114).
  'src/screens/welcome': { paths: screenPaths, packages: reactPackages },
  'src/screens/mobile': { paths: screenPaths, packages: reactPackages },
  'src/screens/mail': { paths: screenPaths, packages: reactPackages },
  'src/screens/password': { paths: screenPaths, packages: reactPackages },
  'src/sign-in': {
    paths: [
      'contract',
      'i18n',
      'ui',
      'api',
      'app/services',
      'app/notices',
      'sync/check-synced',
      'device/do-nothing',
      'device/load-with-retry',
      'types of device',
    ],
    packages: ['react', 'react-intl', 'altcha-lib', 'zod/mini'],
  },
  'src/case-file': {
    paths: [
      'contract',
      'i18n',
      'ui',
      'app/lazy-part',
      'app/services',
      'summary/appointment-rows',
      'types of api/lost-steps',
    ],
    packages: ['react', 'react-intl', '@tanstack/react-query', '@tanstack/react-router'],
  },
  'src/shell': {
    paths: [
      ...screenPaths,
      'session',
      'device/prerendered',
      'device/service-worker',
      'device/unload-warning',
      'types of device',
      'types of app/navigation',
    ],
    packages: screenPackages,
  },
  'src/app/route-guards': {
    paths: ['contract', 'device/load-with-retry', 'device/service-worker', 'app/services', 'app/state-guard'],
    packages: ['@tanstack/react-router'],
  },
  'src/app/state-guard': {
    paths: ['contract', 'app/services', 'sync/local-id'],
    packages: ['@tanstack/react-router'],
  },
  'src/app/notices': { paths: ['contract', 'device', 'i18n'], packages: [] },
  'src/app/sync-events': {
    paths: ['api', 'sync', 'app/notices', 'app/routes'],
    packages: ['@tanstack/react-query'],
  },
  'src/app/portal-sync': {
    paths: ['contract', 'device', 'sync', 'app/services', 'app/sync-events'],
    packages: [],
  },
  'src/app/refresh-after-restore': { paths: ['contract', 'app/services', 'sync'], packages: [] },
  'src/app/require-synced': { paths: ['contract', 'app/services', 'sync'], packages: [] },
  'src/app/use-navigate-unless-left': { paths: [], packages: ['@tanstack/react-router'] },
  'src/app/lazy-part': {
    paths: ['i18n', 'ui/loader', 'summary/retry-panel', 'device/load-with-retry'],
    packages: ['react', '@tanstack/react-query'],
  },
  'src/app/use-recheck-state': {
    paths: ['app/services', 'app/use-navigate-unless-left'],
    packages: ['@tanstack/react-router'],
  },
  'src/app/use-invalidate': {
    paths: ['app/services', 'app/use-navigate-unless-left'],
    packages: ['@tanstack/react-query'],
  },
  'src/app/use-request-key': { paths: ['app/services'], packages: ['react'] },
  'src/app/delete-expired-drafts': { paths: ['app/services'], packages: [] },
  'src/app/tab-addresses': { paths: ['contract'], packages: [] },
  'src/app/on-session-start': { paths: ['device', 'app/services', 'sync'], packages: [] },
  'src/app/on-session-end': {
    paths: ['contract', 'session', 'store', 'types of api/cached-call', 'app/notices', 'app/services'],
    packages: [],
  },
  'src/app/logout-hooks': { paths: ['session', 'store', 'sync', 'app/services'], packages: [] },
  'src/app/response-cache': { paths: ['types of api/cached-call', 'store', 'app/services'], packages: [] },
  'src/app/services': {
    paths: [
      'contract',
      'device',
      'store',
      'api',
      'session',
      'sync',
      'i18n',
      'app/notices',
      'app/hidden-addresses',
      'types of app/navigation',
    ],
    packages: ['react', '@tanstack/react-query'],
  },
  'src/app/hidden-addresses': {
    paths: ['types of device', 'types of session', 'types of api/cached-call'],
    packages: ['@tanstack/react-router'],
  },
  'src/app/routes': {
    paths: ['contract', 'shell', 'app/services', 'app/route-guards', 'app/entry-screens', 'screens'],
    packages: ['@tanstack/react-router', 'zod/mini'],
  },
  'src/app/entry-screens': {
    paths: ['types of contract/codes', 'screens', 'device/load-with-retry'],
    packages: ['react'],
  },
  // This file works without the router, which only open-router.tsx loads.
  'src/app/navigation': {
    paths: ['types of contract/codes', 'device/observable', 'device/load-with-retry', 'types of app/routes'],
    packages: ['react', 'react-dom'],
  },
  'src/app/page-link': { paths: ['app/services', 'types of app/navigation'], packages: ['react'] },
  'src/app/portal-pages': { paths: ['shell', 'ui/use-snapshot', 'app/services'], packages: ['react'] },
  'src/app/open-router': {
    paths: [
      'app/routes',
      'app/watch-clock',
      'sync/local-id',
      'types of app/services',
      'types of app/navigation',
    ],
    packages: ['@tanstack/react-router'],
  },
  'src/app/watch-clock': { paths: ['app/services', 'types of app/routes'], packages: [] },
  'src/app/create-portal': {
    paths: [
      'contract',
      'device',
      'store',
      'api',
      'session',
      'sync',
      'i18n',
      'ui',
      'shell',
      'screens',
      'app/navigation',
      'app/open-router',
      'app/portal-pages',
      'app/services',
      'app/notices',
      'app/portal-sync',
      'app/on-session-start',
      'app/on-session-end',
      'app/logout-hooks',
      'app/response-cache',
      'app/hidden-addresses',
    ],
    packages: ['react', 'react-dom', 'react-intl', '@tanstack/react-query'],
  },
  'src/app/main': {
    paths: [
      'app/create-portal',
      'app/hydrate',
      'app/services',
      'device',
      'i18n',
      'ui',
      'shell',
      'store',
      'app/delete-expired-drafts',
      'app/on-session-start',
      'app/on-session-end',
    ],
    packages: [],
  },
  'src/app/hydrate': {
    paths: ['contract', 'device', 'app/create-portal', 'app/entry-screens', 'sign-in'],
    packages: ['react-dom'],
  },
  'src/app/prerender': {
    paths: ['contract', 'device', 'i18n', 'app/create-portal', 'app/entry-screens'],
    packages: ['react-dom'],
  },
  sw: {
    paths: ['contract/answer-mark', 'contract/codes', 'contract/import-map', 'contract/parse-json'],
    packages: ['workbox-core', 'workbox-precaching', 'workbox-routing', 'workbox-strategies'],
  },
  // The server: first start, then cli, jobs and http, then the features, then the other folders.
  'server/start': {
    paths: [
      'contract',
      'server/build',
      'server/calls',
      'server/config',
      'server/crypto',
      'server/database',
      'server/http',
      'server/integrations',
      'server/jobs',
      'server/monitoring',
      'server/seed',
      'server/tls',
      'server/features',
    ],
    packages: 'any',
  },
  'server/cli': {
    paths: [
      'contract',
      'server/config',
      'server/crypto',
      'server/database',
      'server/features/account',
      'server/features/applications',
      'server/features/appointments',
      'server/features/messages',
      'server/features/offices',
      'server/features/payments',
      'server/features/receipt',
      'server/features/session',
      'server/seed',
    ],
    packages: 'any',
  },
  'server/jobs': {
    paths: [
      'contract',
      'server/calls',
      'server/database',
      'server/features/appointments',
      'server/features/deletion',
      'server/features/messages',
      'server/features/payments',
      'server/features/reminders',
      'server/features/session',
      'server/features/watch',
      'server/integrations',
      'server/monitoring',
    ],
    packages: 'any',
  },
  'server/http': {
    paths: [
      'contract',
      // The colours and sizes of the portal, for the pages around a card payment.
      'ui/tokens',
      'server/calls',
      'server/config',
      'server/crypto',
      'server/database',
      'server/features/applications',
      'server/features/messages',
      'server/features/payments',
      'server/features/session',
      'server/i18n',
      'server/integrations',
      'server/monitoring',
    ],
    packages: 'any',
  },
  'server/features/account': {
    paths: [
      'contract',
      'server/calls',
      'server/config',
      'server/crypto',
      'server/database',
      'server/features/applications',
      'server/features/messages',
      'server/features/payments',
      'server/features/receipt',
      'server/features/session',
      'server/i18n',
    ],
    packages: 'any',
  },
  'server/features/applications': {
    paths: [
      'contract',
      'server/calls',
      'server/config',
      'server/crypto',
      'server/database',
      'server/features/deletion',
      'server/features/dictionary',
    ],
    packages: 'any',
  },
  'server/features/appointments': {
    paths: [
      'contract',
      'server/calls',
      'server/database',
      'server/features/applications',
      'server/features/dictionary',
      'server/features/messages',
      'server/features/offices',
      'server/i18n',
    ],
    packages: 'any',
  },
  'server/features/deletion': {
    paths: [
      'contract',
      'server/calls',
      'server/crypto',
      'server/database',
      'server/features/applications',
      'server/features/appointments',
      'server/features/messages',
      'server/features/offices',
      'server/features/session',
      'server/i18n',
    ],
    packages: 'any',
  },
  'server/features/dictionary': { paths: ['contract', 'server/calls', 'server/seed'], packages: 'any' },
  'server/features/messages': {
    paths: [
      'contract',
      'server/calls',
      'server/config',
      'server/crypto',
      'server/database',
      'server/features/applications',
      'server/features/receipt',
      'server/integrations',
    ],
    packages: 'any',
  },
  'server/features/offices': {
    paths: [
      'contract',
      'server/calls',
      'server/crypto',
      'server/database',
      'server/features/applications',
      'server/features/dictionary',
    ],
    packages: 'any',
  },
  'server/features/payments': {
    paths: [
      'contract',
      'server/calls',
      'server/config',
      'server/crypto',
      'server/database',
      'server/features/applications',
      'server/features/messages',
      'server/features/receipt',
      'server/i18n',
      'server/integrations',
    ],
    packages: 'any',
  },
  'server/features/receipt': {
    paths: [
      'contract',
      'server/calls',
      'server/config',
      'server/crypto',
      'server/database',
      'server/features/applications',
      'server/features/appointments',
      'server/features/dictionary',
      'server/features/session',
      'server/i18n',
    ],
    packages: 'any',
  },
  'server/features/reminders': {
    paths: [
      'contract',
      'server/calls',
      'server/database',
      'server/features/appointments',
      'server/features/messages',
      'server/features/offices',
      'server/i18n',
    ],
    packages: 'any',
  },
  'server/features/session': {
    paths: [
      'contract',
      'server/calls',
      'server/config',
      'server/crypto',
      'server/database',
      'server/features/messages',
      'server/i18n',
      'server/integrations',
    ],
    packages: 'any',
  },
  'server/features/watch': {
    paths: [
      'contract',
      'server/calls',
      'server/database',
      'server/features/applications',
      'server/features/appointments',
      'server/features/messages',
      'server/features/offices',
      'server/i18n',
    ],
    packages: 'any',
  },
  'server/integrations/simulators': {
    paths: ['contract', 'server/config', 'server/integrations'],
    packages: 'any',
  },
  'server/integrations': {
    paths: ['contract', 'server/calls', 'server/config', 'server/crypto'],
    packages: 'any',
  },
  'server/calls': {
    paths: ['contract', 'server/config', 'server/crypto', 'server/database', 'server/monitoring'],
    packages: 'any',
  },
  'server/config': {
    paths: ['contract', 'server/calls', 'server/crypto', 'server/database'],
    packages: 'any',
  },
  'server/crypto': { paths: ['contract'], packages: 'any' },
  'server/monitoring': {
    paths: [
      'contract',
      'server/calls',
      'server/config',
      'server/database',
      'server/features/messages',
      'server/features/session',
    ],
    packages: 'any',
  },
  'server/i18n': { paths: ['contract'], packages: 'any' },
  'server/database': { paths: ['contract'], packages: 'any' },
  'server/seed': { paths: ['contract', 'server/config', 'server/database'], packages: 'any' },
  'server/tls': { paths: ['contract'], packages: 'any' },
  'server/build': { paths: ['contract'], packages: 'any' },
} satisfies Record<string, Border>

// Packages for the browser; the server may use none of them.
const browserPackages = [
  'react',
  'react-dom',
  'react-intl',
  'react-hook-form',
  'dexie',
  'dexie-react-hooks',
  'workbox-window',
  '@tanstack/react-query',
  '@tanstack/react-router',
]

/** Returns one line for each forbidden import and for each file without a row, with advice. */
export function findBorderFaults(files: SourceFile[]): string[] {
  return files.flatMap(file => {
    const row = findRow(file.path)
    if (row === undefined)
      return [
        `${file.path}: no row of the table in tests/structure/borders.ts covers this file; move it or add a row`,
      ]
    return readImports(file).flatMap(imported => {
      const fault = judgeImport(file.path, row, imported)
      return fault === undefined
        ? []
        : [`${file.path}:${imported.line} imports '${imported.specifier}': ${fault}`]
    })
  })
}

function findRow(path: string): string | undefined {
  return Object.keys(borders)
    .filter(row => covers(row, path))
    .toSorted((a, b) => b.length - a.length)[0]
}

function judgeImport(from: string, row: string, imported: Import): string | undefined {
  const border: Border | undefined = Object.entries(borders).find(([name]) => name === row)?.[1]
  if (border === undefined) return `no row ${row}`
  if (imported.file === undefined) return judgePackage(row, border, imported.specifier)
  return judgeFileImport(from, row, border, { ...imported, file: imported.file })
}

function judgePackage(row: string, border: Border, specifier: string): string | undefined {
  if (border.packages === 'any') {
    return browserPackages.some(name => isWithin(specifier, name))
      ? `${row} may not use packages for the browser`
      : undefined
  }
  if (border.packages.some(name => isWithin(specifier, name))) return undefined
  if (specifier.startsWith('node:')) return 'the browser has no Node modules; move this code to server/'
  const allowed = border.packages.length === 0 ? 'no package at all' : border.packages.join(', ')
  return `${row} may use ${allowed}; pass the value as an argument, or move the code to the folder that owns the package`
}

function judgeFileImport(
  from: string,
  row: string,
  border: Border,
  imported: Import & { file: string },
): string | undefined {
  if (/\.(?:css|svg|png|woff2)$/.test(imported.file) && imported.file.startsWith('src/ui/')) return undefined
  const style = judgeSpecifier(from, imported)
  if (style !== undefined) return style
  if (folderOf(from) === folderOf(imported.file)) return undefined
  if (imported.file.startsWith('src/screens/') && from.startsWith('src/screens/')) {
    return 'a screen may not import another; move shared code to ui, summary, contract or i18n'
  }
  const allowed = border.paths.some(entry => {
    const [, types, path] = /^(types of )?(.+)$/.exec(entry) ?? []
    return (
      covers(path?.startsWith('server/') ? path : `src/${path}`, imported.file) &&
      (types === undefined || imported.typeOnly)
    )
  })
  if (allowed) return undefined
  return `${row} may import ${border.paths.join(', ') || 'no other folder'}; pass the value as an argument, or move the code to a folder that may import it`
}

function judgeSpecifier(from: string, imported: Import & { file: string }): string | undefined {
  if (imported.specifier.startsWith('../'))
    return "write '#folder/file.ts' for another folder; './' is only for the same folder"
  if (!/\.[a-z]+$/.test(imported.file)) return 'write the extension'
  if (imported.specifier.startsWith('#') && imported.file.startsWith('tests/'))
    return `${from} may not use test code`
  return undefined
}

// Returns the folder of a file: files of one folder may import each other. Directly in src, and in src/app, each file
// counts as a folder of its own.
function folderOf(path: string): string {
  const parts = path.split('/')
  if (parts[0] === 'server') return parts.slice(0, parts[1] === 'features' ? 3 : 2).join('/')
  if (parts[0] !== 'src') return parts[0] ?? ''
  if (parts.length === 2 || parts[1] === 'app') return path
  return parts.slice(0, parts[1] === 'screens' ? 3 : 2).join('/')
}

// `src/api/queries` covers the file src/api/queries.ts and the folder src/api/queries/.
function covers(row: string, path: string): boolean {
  return path.startsWith(`${row}/`) || new RegExp(`^${row}\\.\\w+$`).test(path)
}

function isWithin(specifier: string, name: string): boolean {
  return specifier === name || specifier.startsWith(`${name}/`)
}
