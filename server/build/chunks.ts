import { fileURLToPath } from 'node:url'
import type { PartName } from '#contract/codes.ts'

/** Modules that the bundler adds. They are too small for chunks of their own, but Rolldown makes one of its runtime. */
const ofBundler = /^\0(?:rolldown|vite)\//

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * The chunks of the portal, grouped by when they are needed. There are few, because each chunk costs a round trip and
 * headers. A module that several chunks import belongs to the first of them.
 */
const parts = [
  // Needed before any screen.
  { name: 'start', roots: ['src/app/main.tsx'] },
  // The router and all routes, loaded before any page but an entry page, and the gate before confirm, payment and booking.
  { name: 'router', roots: ['src/app/open-router.tsx', 'src/app/require-synced.ts'] },
  { name: 'sign-in', roots: ['welcome', 'mobile', 'mail', 'password'].map(screenFile) },
  // The readers of responses, loaded after hydration.
  {
    name: 'wire',
    roots: [
      'src/api/response-reader.ts',
      'src/session/claims.ts',
      // Shared by the page that verifies receipts, the privacy notice and the screens after the sign-in; here, so that
      // these two pages do not load the form's chunk.
      'src/ui/summary-list.tsx',
      // Shared by the page of help and the screens after the sign-in.
      'src/ui/disclosure.tsx',
      // Shared by the page that verifies receipts and the form.
      'src/contract/dates.ts',
      // Needed by the first notice, which the first page does not have.
      'src/ui/uncover-focus.ts',
    ],
  },
  // After the sign-in, online or offline.
  {
    name: 'form',
    roots: [
      'src/api/queries.ts',
      'src/shell/query-provider.tsx',
      'src/store/store.ts',
      'src/sync/engine.ts',
      'src/app/portal-sync.ts',
      'src/sync/prefetch.ts',
      'src/app/state-guard.ts',
      'src/contract/endpoints.ts',
      screenFile('procedure'),
      screenFile('form'),
      ...['general-tab', 'person-tab', 'parent-tab', 'documents-tab'].map(
        tab => `src/screens/form/${tab}.tsx`,
      ),
      'src/screens/form/starting-tab.ts',
      'src/shell/session-dialogs.tsx',
      // Shared by the screens of the payment and the account; here, so that the account does not load the chunk `later`.
      'src/contract/short-contact.ts',
    ],
  },
  // Rare parts of the form, of the list of applications and of the payment, cached with the form. Some of them show
  // answers in the words of the summary, which the screens after the form share. These words are here, so that the rare
  // parts do not load the chunk `later`.
  {
    name: 'rare',
    roots: [
      ...['conflict-form', 'earlier-answers', 'take-over-offer'].map(name => `src/screens/form/${name}.tsx`),
      'src/screens/procedure/unknown-drafts.tsx',
      'src/screens/procedure/follow-up-deletions.ts',
      'src/case-file/lost-step-panel.tsx',
    ],
  },
  // The screens after the form, most of which need a connection.
  {
    name: 'later',
    roots: [
      ...['confirm', 'appointment', 'schedule', 'final'].map(screenFile),
      ...['payment', 'card-payment', 'payment-code', 'payment-result'].map(
        name => `src/screens/payment/${name}-screen.tsx`,
      ),
      'src/device/print-pages.ts',
    ],
  },
  // Rarely shown, after a right code: the question of a dormant account (D122).
  { name: 'dormant', roots: ['src/screens/password/open-dormant.tsx'] },
  // For office staff, who do not sign in. Cached on a device that has opened the page once, because the device may be
  // offline later.
  { name: 'verify', roots: [screenFile('verify')] },
  {
    name: 'help',
    roots: [
      screenFile('help'),
      screenFile('undo'),
      ...['legal', 'accessibility', 'privacy'].map(name => `src/screens/legal/${name}-screen.tsx`),
    ],
  },
  // Rarely opened, and it needs a connection. After help, so that help needs neither this chunk nor, through it, the
  // form's.
  { name: 'account', roots: [screenFile('account'), 'src/sign-in/second-contact-steps.tsx'] },
  // Only where the device has voices, and on a kiosk.
  {
    name: 'tools',
    roots: ['src/shell/listen-button.tsx', 'src/shell/kiosk-tools.tsx', 'src/device/speech.ts'],
  },
] as const

type Part = (typeof parts)[number]['name']

type Modules = { getModuleInfo: (id: string) => { importedIds: readonly string[] } | null }

/**
 * Returns the groups of `codeSplitting`, one per part. An earlier part has a higher priority, because Rolldown adds to a group
 * all modules that the group imports, except those of groups with a higher priority. pdf.js, the captcha and similar modules
 * stay chunks of their own.
 */
export function groupParts() {
  let partOf: Map<string, Part> | undefined
  return parts.map(({ name }, index) => ({
    debugName: name,
    priority: parts.length - index,
    name(id: string, modules: Modules) {
      partOf ??= assignParts(modules)
      const part = ofBundler.test(id) ? 'start' : partOf.get(id)
      return part === name ? name : null
    },
  }))
}

/**
 * When the service worker caches a file; undefined: at once. Files that are of no use without a connection are never cached.
 */
export function whenToCache(file: string): { part: PartName } | 'never' | undefined {
  const name = /([^/]+)-[\w-]{8}\.js$/.exec(file)?.[1]
  // Cached with the form: its rare parts, the pages of help and the legal pages with their French messages, the French
  // messages of the screens after the sign-in, and the code that hands the form over to another phone.
  const formFiles = 'form fr-rest fr-help help fr-legal rare hand-over-code'.split(' ')
  if (name !== undefined && formFiles.includes(name)) return { part: 'form' }
  // The portal starts in French. English is cached when the applicant first chooses it and, without the data saver, at
  // the start of a session.
  const englishFiles = ['en', 'en-help', 'en-legal', 'en-rest']
  if (name !== undefined && englishFiles.includes(name)) return { part: 'en' }
  // Not cached with the form or with English: only offices verify receipts, and only some devices have the tools.
  if (name !== undefined && /^(?:fr-|en-)?verify$/.test(name)) return { part: 'verify' }
  if (name !== undefined && /^(?:fr-|en-)?tools$/.test(name)) return { part: 'tools' }
  if (name === 'router') return { part: 'router' }
  if (name === 'later' || name === 'qr-code' || name === 'calendar-file') return { part: 'later' }
  if (name === 'account' || name === 'dormant' || name === 'end-kiosk') return 'never'
  return name === 'captcha-box' || name === 'proof-of-work' ? 'never' : undefined
}

function screenFile(name: string): string {
  return `src/screens/${name}/${name}-screen.tsx`
}

function assignParts(modules: Modules): Map<string, Part> {
  const partOf = new Map<string, Part>()
  for (const { name, roots } of parts) {
    const waiting: string[] = roots.map(path => root + path)
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      if (partOf.has(id)) continue
      partOf.set(id, name)
      waiting.push(...(modules.getModuleInfo(id)?.importedIds ?? []))
    }
  }
  return partOf
}
