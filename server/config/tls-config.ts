import type { Configuration } from './config.ts'

type Read = { TLS: 'on' | 'off'; PORT: number; PUBLIC_ORIGIN?: string | undefined }
type Facts = Pick<Configuration, 'tls' | 'profile' | 'publicOrigin'>

/**
 * Returns the origins of this server, the public one first, because links in messages and receipts use it. A given
 * PUBLIC_ORIGIN is the public one. Without it, the public one is localhost, but with TLS=on the first address in the
 * local network, if there is one: phones there can open it.
 */
export function originsOf(
  read: Read,
  lanAddresses: readonly string[],
): [publicOrigin: string, ...others: string[]] {
  const given = read.PUBLIC_ORIGIN === undefined ? [] : [new URL(read.PUBLIC_ORIGIN).origin]
  const hosts = [...lanAddresses, 'localhost', '127.0.0.1', '::1'].map(each =>
    each.includes(':') ? `[${each}]` : each,
  )
  const own = hosts.map(host => new URL(`https://${host}:${read.PORT}`).origin)
  const [first = `http://localhost:${read.PORT}`, ...others] = read.TLS === 'on' ? [...given, ...own] : given
  return [new URL(first).origin, ...others]
}

/** Returns the faults of TLS=on: it is for the demo, with an https origin. */
export function tlsFaults({ tls, profile, publicOrigin }: Facts): string[] {
  if (!tls) return []
  if (profile === 'production')
    return [
      'TLS must be off (start without --tls) with PROFILE=production: a proxy must serve https, see docs/deploy.md.',
    ]
  return publicOrigin.startsWith('https:')
    ? []
    : ['PUBLIC_ORIGIN must be an https address, or unset, when TLS is on (--tls).']
}
