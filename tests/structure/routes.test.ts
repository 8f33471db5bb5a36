import { describe, expect, it } from 'vitest'
import { isInGroup } from '#server/build/message-groups.ts'
import { readImports } from './imports.ts'
import { readRoutes, sameRoute, expandOptional } from './route-list.ts'
import { readLiterals } from './source-text.mjs'
import { listFolders, readSources, readText } from './source-tree.ts'

const signInPages = ['/', '/mail', '/mobile', '/password'] as const

// The path of every page of chapter 2 of the specification, and of the account page (NAV31), with its requirement.
const addresses = [
  ['NAV01', '/'],
  ['NAV02', '/mobile'],
  ['NAV02', '/mail'],
  ['NAV02', '/password'],
  ['NAV04', '/procedure'],
  ['NAV05', '/form/$appId/$appNumber'],
  ['NAV05', '/form/$appId/$appNumber/GeneralData'],
  ['NAV05', '/form/$appId/$appNumber/PersonData'],
  ['NAV05', '/form/$appId/$appNumber/ParentData'],
  ['NAV05', '/form/$appId/$appNumber/NicData'],
  ['NAV06', '/confirm/$appId/$appNumber'],
  ['NAV07', '/payment/$appId/$appNumber'],
  ['NAV08', '/cardPayment'],
  ['NAV09', '/payOtp/$appId/$appNumber/$paymentId'],
  ['NAV10', '/payResult/$appId/$appNumber/$paymentId'],
  ['NAV11', '/appointment/$appId/$appNumber'],
  ['NAV12', '/appointment/$appId/$appNumber/$appointmentId'],
  ['NAV13', '/schedule/$appId/$appNumber/$appointmentId'],
  ['NAV14', '/final/$appId/$appNumber/$appointmentId'],
  ['NAV31', '/account'],
] as const

// Pages without a session that this portal adds to the specification: an office checks a receipt (F7), help (NAV26), what the
// footer links to (NAV27), and the undo of a changed contact (NAV32).
const openPages = ['/verify', '/undo', '/help', '/legal', '/accessibility', '/privacy'] as const

// One route `/form/…/$tab` may serve all four tabs.
const routeOfAllTabs = '/form/$appId/$appNumber/$tab'
const catchAll = ['/$', '/*']

describe('the routes of the portal', () => {
  it.each(addresses)('contain, as %s requires, the path %s', (_, address) => {
    const paths = readPortalRoutes().map(route => route.path)
    const isRouted = paths.some(
      path => sameRoute(path, address) || (isTab(address) && sameRoute(path, routeOfAllTabs)),
    )
    expect(isRouted, `add path: '${address}' to src/app/routes.tsx, which has\n${paths.join('\n')}`).toBe(
      true,
    )
  })

  it('have no guard on the four sign-in pages (NAV02)', () => {
    const guarded = readPortalRoutes().filter(route => isSignInPage(route.path) && route.guarded)
    expect(guarded.map(describeRoute), 'remove the guard').toEqual([])
  })

  it('have a `beforeLoad` on every page that needs a session (NAV03)', () => {
    const unguarded = readPortalRoutes().filter(
      route => !isOpenPage(route.path) && !catchAll.includes(route.path) && !route.guarded,
    )
    const advice = "give the route or its parent a 'beforeLoad' (or 'guard') that requires a session"
    expect(unguarded.map(describeRoute), advice).toEqual([])
  })

  it('contain only the pages of the specification, the account and the open pages, so no page for staff (NAV24)', () => {
    const expected = [...addresses.map(([, address]) => address), routeOfAllTabs, ...openPages, ...catchAll]
    const others = readPortalRoutes().filter(
      route => !expected.some(address => sameRoute(route.path, address)),
    )
    expect(others.map(describeRoute), 'the specification has no such path').toEqual([])
  })

  it('use every folder of src/screens', () => {
    const files = ['src/app/routes.tsx', 'src/app/entry-screens.ts']
      .flatMap(path => readImports({ path, text: readText(path) }))
      .map(found => found.file ?? '')
    const unused = listFolders('src/screens').filter(
      folder => !files.some(file => file.startsWith(`src/screens/${folder}/`)),
    )
    expect(unused, 'name the screen in src/app/routes.tsx or entry-screens.ts, or delete its folder').toEqual(
      [],
    )
  })

  it('have, in the folders of pages without a session, no text that loads only after the sign-in', () => {
    const keys = Object.keys(JSON.parse(readText('src/i18n/en.json')))
    const folders = openPages.map(page => `src/screens${page}`).filter(isFolder)
    const used = readSources(...folders).flatMap(({ path, text }) =>
      readLiterals(text).flatMap(literal =>
        keys.includes(literal.text) ? [{ path, key: literal.text }] : [],
      ),
    )
    expect(used.length).toBeGreaterThan(30)
    // The group `rest` loads after the sign-in. The group `verify`, of the page /verify, has some of its texts too.
    const late = used.filter(({ key }) => isInGroup(key, 'rest') && !isInGroup(key, 'verify'))
    const advice =
      'add the prefix of the key to a group in server/build/message-groups.ts that the page loads'
    expect(late, advice).toEqual([])
  })
})

function isFolder(path: string): boolean {
  return listFolders('src/screens').includes(path.slice('src/screens/'.length))
}

describe('readRoutes', () => {
  it('joins the path of a route with its parent, and finds the guard of the parent', () => {
    const text = [
      'const root = createRootRoute({ beforeLoad: start })',
      "const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', beforeLoad: askForSession })",
      "const mail = createRoute({ getParentRoute: () => root, path: '/mail' })",
      "const form = createRoute({ getParentRoute: () => signedIn, path: '/form/$appId/$appNumber' })",
      "const person = createRoute({ getParentRoute: () => form, path: 'PersonData' }).lazy(() => import('./a.tsx'))",
    ].join('\n')
    expect(readRoutes(text)).toEqual([
      { path: '/mail', guarded: false, line: 3 },
      { path: '/form/$appId/$appNumber', guarded: true, line: 4 },
      { path: '/form/$appId/$appNumber/PersonData', guarded: true, line: 5 },
    ])
  })

  it('reads a table with a guard column', () => {
    const text = [
      'const rows = [',
      "  { path: '/', screen: Welcome, guard: 'open' },",
      "  { path: '/procedure', screen: Procedure, guard: 'session' },",
      "  { path: '/final', screen: Final },",
      ']',
    ].join('\n')
    expect(readRoutes(text).map(route => route.guarded)).toEqual([false, true, false])
  })

  it('reads a path with an optional parameter as two paths', () => {
    expect(expandOptional('/appointment/$a/{-$b}')).toEqual(['/appointment/$a', '/appointment/$a/{-$b}'])
    expect(sameRoute('/appointment/$a/{-$b}', '/appointment/$appId/$appNumber')).toBe(true)
  })
})

function isOpenPage(path: string): boolean {
  return isSignInPage(path) || openPages.some(address => sameRoute(address, path))
}

function readPortalRoutes() {
  return readRoutes(readText('src/app/routes.tsx')).flatMap(route =>
    expandOptional(route.path).map(path => ({ ...route, path })),
  )
}

function isSignInPage(path: string): boolean {
  return signInPages.some(page => page === path)
}

function isTab(address: string): boolean {
  return address.endsWith('Data')
}

function describeRoute(route: { path: string; line: number }): string {
  return `src/app/routes.tsx:${route.line} ${route.path}`
}
