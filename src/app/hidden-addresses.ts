import type { LocationRewrite } from '@tanstack/react-router'
import type { Device } from '#device/device.ts'
import type { Session } from '#session/session.ts'
import type { LastSeenCache } from './last-seen-cache.ts'

/**
 * The addresses of a shared device (D31): each id and number in an address is replaced by a random token, because the
 * browser keeps addresses in its history after the log-out. Only this tab, in the same session, knows what a token stands
 * for. The router and all screens see the readable addresses.
 */
export type HiddenAddresses = {
  /** For the router: `input` reads tokens on every device, `output` writes them on a shared device. */
  rewrite: Required<LocationRewrite>
  /** Returns the path with tokens instead of ids. On the applicant's own device returns it as it is. */
  hide: (path: string) => string
  /** After a reload: if the path has tokens, resolves when the session is restored and the tokens are known again. */
  restore: (path: string) => Promise<void>
}

type Parts = {
  device: Pick<Device, 'randomId' | 'readTabText' | 'saveTabText'>
  isShared: () => boolean
  session: Pick<Session, 'ready' | 'state' | 'subscribe'>
  cache: Pick<LastSeenCache, 'read' | 'write'>
}

/** No id begins with this character. */
const tokenPrefix = '~'
/** The tab storage has the random name of this tab, under which its tokens are saved. */
const tabNameKey = 'addresses'
/** The third segment of a form's address is a tab, all others are ids. */
const idsOfForm = 2

export function createHiddenAddresses(parts: Parts): HiddenAddresses {
  const { isShared, session } = parts
  const tokens = createTokens(parts)

  function output({ url }: { url: URL }): URL {
    if (!isShared()) return url
    // The router still needs the URL that it gave.
    const hidden = new URL(url)
    hidden.pathname = mapIds(url.pathname, tokens.tokenOf)
    return hidden
  }

  function input({ url }: { url: URL }): URL {
    if (!url.pathname.includes(`/${tokenPrefix}`)) return url
    const path = mapIds(url.pathname, tokens.idOf)
    // A token of another tab, or of a session that has ended: the list shows what the applicant may open.
    return new URL(path.includes(`/${tokenPrefix}`) ? '/procedure' : path + url.search + url.hash, url.origin)
  }

  return {
    rewrite: { input, output },
    async restore(path) {
      if (!path.includes(`/${tokenPrefix}`)) return
      await session.ready()
      await tokens.restored()
    },
    hide(path) {
      const { pathname, search, hash } = output({ url: new URL(path, 'https://portal.invalid') })
      return pathname + search + hash
    },
  }
}

function mapIds(pathname: string, map: (segment: string) => string): string {
  const [root = '', screen = '', ...segments] = pathname.split('/')
  const mapped = segments.map((segment, index) =>
    segment === '' || (screen === 'form' && index >= idsOfForm) ? segment : map(segment),
  )
  return [root, screen, ...mapped].join('/')
}

/**
 * The tokens of this tab, saved under the key of the applicant: the browser writes the tab storage to the disk, where its
 * texts outlive a log-out.
 */
function createTokens({ device, session, cache }: Parts) {
  const idByToken = new Map<string, string>()
  const tokenById = new Map<string, string>()
  let isSaved = true
  let restoring: Promise<void> | undefined

  function add(token: string, id: string) {
    idByToken.set(token, id)
    tokenById.set(id, token)
  }

  function nameOfRow(): string {
    const tabName = device.readTabText(tabNameKey) ?? device.randomId()
    device.saveTabText(tabNameKey, tabName)
    return `${tabNameKey} ${tabName}`
  }

  async function readSaved() {
    if (device.readTabText(tabNameKey) === undefined) return
    const saved = await cache.read(nameOfRow())
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this code writes the row
    for (const [token, id] of (saved ?? []) as [string, string][]) add(token, id)
  }

  /** Without a session there is no key yet; the next sign-in saves the tokens. */
  async function save() {
    if (session.state().kind !== 'signed-in') return
    await (restoring ??= readSaved())
    if (isSaved) return
    isSaved = true
    await cache.write(nameOfRow(), [...idByToken])
  }

  session.subscribe(() => void save())

  function createToken(id: string): string {
    const token = tokenPrefix + device.randomId()
    add(token, id)
    isSaved = false
    void save()
    return token
  }

  return {
    restored: async () => restoring,
    idOf: (segment: string) => idByToken.get(segment) ?? segment,
    tokenOf: (segment: string) =>
      segment.startsWith(tokenPrefix) ? segment : (tokenById.get(segment) ?? createToken(segment)),
  }
}
