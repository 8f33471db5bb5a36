import type { LocationRewrite } from '@tanstack/react-router'
import type { Device } from '#device/device.ts'
import type { Session } from '#session/session.ts'
import type { ResponseCache } from '#api/cached-call.ts'

/**
 * The addresses of a shared device (D31): a random alias replaces each id and number in an address, because the browser
 * keeps addresses in its history after the log-out. Only this tab knows what an alias stands for, until the device is
 * cleared or another applicant signs in. The router and all screens see the readable addresses.
 */
export type HiddenAddresses = {
  /** For the router: `input` reads aliases on every device, `output` writes them on a shared device. */
  rewrite: Required<LocationRewrite>
  /** Returns the path with aliases instead of ids. On the applicant's own device returns it as it is. */
  hide: (path: string) => string
  /** For the history state of a shared device. `idOf` returns an alias that this tab does not know as it is. */
  aliases: { aliasOf: (text: string) => string; idOf: (alias: string) => string }
  /** For a start at a path that needs aliases: waits for the start of the session and the read of the saved aliases. */
  restore: (path: string) => Promise<void>
  /**
   * Resolves when the saves that have begun have ended, because a reload finds only saved aliases. Never rejects,
   * because `ResponseCache` does not reject when the storage fails: then the aliases are not saved. Nor are they
   * without a session.
   */
  whenSaved: () => Promise<void>
}

type Parts = {
  device: Pick<Device, 'randomId' | 'readTabText' | 'saveTabText'>
  isShared: () => boolean
  session: Pick<Session, 'ready' | 'signedInId' | 'subscribe'>
  cache: Pick<ResponseCache, 'read' | 'write'>
}

/** No id begins with this character, and no text that is hidden. */
const aliasPrefix = '~'
/** The address of this screen has no alias, but its history state has one. */
const cardPaymentPath = '/cardPayment'
/** The tab storage has the random name of this tab, under which its aliases are saved. */
const tabNameKey = 'addresses'
/** `/form/<id>/<number>/<tab>`: after the screen come two segments to hide, then the readable name of a tab. */
const hiddenSegmentsOfForm = 2

export function createHiddenAddresses(parts: Parts): HiddenAddresses {
  const { isShared, session } = parts
  const aliases = createAliases(parts)

  function output({ url }: { url: URL }): URL {
    if (!isShared()) return url
    // The router still needs the URL that it gave.
    const hidden = new URL(url)
    hidden.pathname = mapIds(url.pathname, aliases.aliasOf)
    return hidden
  }

  function input({ url }: { url: URL }): URL {
    if (!url.pathname.includes(`/${aliasPrefix}`)) return url
    const path = mapIds(url.pathname, aliases.idOf)
    // This tab does not know an alias of this address: the list shows what the applicant may open.
    return new URL(path.includes(`/${aliasPrefix}`) ? '/procedure' : path + url.search + url.hash, url.origin)
  }

  return {
    rewrite: { input, output },
    async restore(path) {
      if (!path.includes(`/${aliasPrefix}`) && path !== cardPaymentPath) return
      await session.ready()
      await aliases.whenSaved()
    },
    whenSaved: aliases.whenSaved,
    hide(path) {
      const { pathname, search, hash } = output({ url: new URL(path, 'https://portal.invalid') })
      return pathname + search + hash
    },
    aliases,
  }
}

function mapIds(pathname: string, map: (segment: string) => string): string {
  const [root = '', screen = '', ...segments] = pathname.split('/')
  const mapped = segments.map((segment, index) =>
    segment === '' || (screen === 'form' && index >= hiddenSegmentsOfForm) ? segment : map(segment),
  )
  return [root, screen, ...mapped].join('/')
}

/**
 * The aliases of this tab. A row of the response cache has them, encrypted with the applicant's key. The tab storage
 * has only the name of this row, because the browser writes the texts of the tab storage to the disk, where they
 * outlive a log-out. The page forgets its aliases when another applicant signs in on it.
 */
function createAliases({ device, session, cache }: Parts) {
  const idByAlias = new Map<string, string>()
  const aliasById = new Map<string, string>()
  let isSaved = true
  let restoring: Promise<void> | undefined
  let running = Promise.resolve()
  let ownerId = session.signedInId()

  function add(alias: string, id: string) {
    idByAlias.set(alias, id)
    aliasById.set(id, alias)
  }

  async function readSaved() {
    if (device.readTabText(tabNameKey) === undefined) return
    const saved = await cache.read(nameOfRow(device))
    // Only this code writes the row.
    for (const [alias, id] of (saved ?? []) as [string, string][]) add(alias, id)
  }

  /** The calls of `restoreAndSaveOnce` run one after the other, so that an older row never replaces a newer one. */
  function restoreAndSave() {
    running = running.then(restoreAndSaveOnce)
  }

  /** Does nothing without a session: there is no encryption key. The next sign-in saves the aliases that stay. */
  async function restoreAndSaveOnce() {
    if (session.signedInId() === undefined) return
    await (restoring ??= readSaved())
    if (isSaved) return
    isSaved = true
    await cache.write(nameOfRow(device), [...idByAlias])
  }

  session.subscribe(() => {
    const id = session.signedInId()
    if (id !== undefined && ownerId !== undefined && id !== ownerId) {
      idByAlias.clear()
      aliasById.clear()
      restoring = undefined
    }
    ownerId = id ?? ownerId
    restoreAndSave()
  })

  function createAlias(id: string): string {
    const alias = aliasPrefix + device.randomId()
    add(alias, id)
    isSaved = false
    restoreAndSave()
    return alias
  }

  return {
    whenSaved: () => running,
    idOf: (segment: string) => idByAlias.get(segment) ?? segment,
    aliasOf: (segment: string) =>
      segment.startsWith(aliasPrefix) ? segment : (aliasById.get(segment) ?? createAlias(segment)),
  }
}

function nameOfRow(device: Parts['device']): string {
  const tabName = device.readTabText(tabNameKey) ?? device.randomId()
  device.saveTabText(tabNameKey, tabName)
  return `${tabNameKey} ${tabName}`
}
