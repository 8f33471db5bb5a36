/** Allowed origins of a card payment, such as `https://gateway.example`. */
export type CardOrigins = {
  /** The gateways that the server lists, or without its list the build: allowed targets. */
  gateways: readonly string[]
  /** The portal and its server: allowed return addresses. */
  own: readonly string[]
}

/**
 * Returns the normalised address if its origin is listed, else undefined. Also refuses plain http to another machine, and
 * addresses that may hide their target: with user information, backslashes, spaces or characters outside of printable
 * ASCII, and relative ones.
 */
export function listedAddress(
  address: string | null | undefined,
  origins: readonly string[],
): string | undefined {
  const url = plainAddress(address)
  return url && origins.includes(url.origin) ? url.href : undefined
}

/** Returns the origin of an address that passes the same checks, listed or not. */
export function plainOrigin(address: string | null | undefined): string | undefined {
  return plainAddress(address)?.origin
}

function plainAddress(address: string | null | undefined): URL | undefined {
  const url = parseAddress(address ?? '')
  return url && isSafeTransport(url) && url.username === '' && url.password === '' ? url : undefined
}

function parseAddress(address: string): URL | undefined {
  // Browsers remove or convert some of the characters that this pattern excludes, without showing it.
  if (!/^https?:\/\/[\x21-\x7e]+$/i.test(address) || address.includes('\\')) return undefined
  // The text before an @ is not the host, although it looks like one.
  if (address.split(/[/?#]/)[2]?.includes('@')) return undefined
  try {
    return new URL(address)
  } catch {
    return undefined
  }
}

/** Plain http is allowed only to this machine, where the simulators of a demonstration run. */
function isSafeTransport({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}
