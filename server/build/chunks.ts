import { fileURLToPath } from 'node:url'

/** What the bundler itself adds is not worth a file. */
const ofBundler = /^\0(?:rolldown|vite)\//

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Which files the portal is cut into: few, as each costs a line's round trip and its own headers, and parted by when
 * they are needed. What several need belongs to the first of them.
 */
const parts = [
  // Before anything can be done.
  { name: 'start', roots: ['src/app/main.tsx'] },
  { name: 'sign-in', roots: ['welcome', 'mobile', 'mail', 'password'].map(screenFile) },
  // What reads answers: asked for once a page is alive.
  {
    name: 'wire',
    roots: [
      'src/api/response-reader.ts',
      'src/session/claims.ts',
      'src/api/queries.ts',
      'src/shell/query-provider.tsx',
      // The little that the page which checks receipts shares with the form: it is not to bring the form along.
      'src/ui/summary-list.tsx',
      'src/contract/dates.ts',
    ],
  },
  // After the sign-in, with the line or without.
  {
    name: 'form',
    roots: [
      'src/store/store.ts',
      'src/sync/engine.ts',
      'src/contract/endpoints.ts',
      screenFile('procedure'),
      screenFile('form'),
      ...['general-tab', 'person-tab', 'parent-tab', 'documents-tab'].map(
        tab => `src/screens/form/${tab}.tsx`,
      ),
      'src/screens/form/starting-tab.ts',
    ],
  },
  // What comes after the form, and mostly waits for the line.
  {
    name: 'later',
    roots: [
      ...['confirm', 'appointment', 'schedule', 'final'].map(screenFile),
      ...['payment', 'card-payment', 'payment-code', 'payment-result'].map(
        name => `src/screens/payment/${name}-screen.tsx`,
      ),
    ],
  },
  // For the offices, who do not sign in: with the shell on every device, since nobody knows which has no line that day.
  { name: 'verify', roots: [screenFile('verify')] },
] as const

type Part = (typeof parts)[number]['name']

type Modules = { getModuleInfo: (id: string) => { importedIds: readonly string[] } | null }

/**
 * The groups of `codeSplitting`: a part a group, the earlier the stronger, so that what a package requires of another
 * comes along to the first that needs it. pdf.js, the captcha and the like stay files of their own.
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

/** When the worker is to keep a file; nothing said is at once. What the line is needed for anyway is not kept at all. */
export function unusedPlaceholder(file: string): { part: 'form' | 'later' | 'en' } | 'never' | undefined {
  const name = /([^/]+)-[\w-]{8}\.js$/.exec(file)?.[1]
  if (name === 'form') return { part: 'form' }
  // French is what the portal begins in; whoever reads English has it from then on.
  if (name === 'en' || name === 'en-rest') return { part: 'en' }
  if (name === 'later' || name === 'qr-code') return { part: 'later' }
  return name === 'captcha-box' || name === 'proof-of-work' || name === 'calendar' ? 'never' : undefined
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
