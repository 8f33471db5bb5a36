/** Where a card payment may lead and come back to: origins such as `https://gateway.example`. */
export type CardPlaces = {
  /** The gateways that the server lists. */
  gateways: readonly string[]
  /** Ourselves: this page's origin, and the service's own where that is another. */
  own: readonly string[]
}

/**
 * The address as it will be used; undefined unless it leads to one of the listed origins and by no trick of
 * spelling: no other user's name in front, no control characters, no backslashes, nothing relative.
 */
export function listedAddress(
  address: string | null | undefined,
  origins: readonly string[],
): string | undefined {
  const url = parseAddress(address ?? '')
  if (!url || !isSafeTransport(url) || url.username !== '' || url.password !== '') return undefined
  return origins.includes(url.origin) ? url.href : undefined
}

function parseAddress(address: string): URL | undefined {
  // Browsers drop or turn some of these; people do not see them.
  if (!/^https?:\/\/[\x21-\x7e]+$/i.test(address) || address.includes('\\')) return undefined
  // What stands before an @ is not the host, and a browser would not say so.
  if (address.split(/[/?#]/)[2]?.includes('@')) return undefined
  try {
    return new URL(address)
  } catch {
    return undefined
  }
}

/** Plain http never leaves the machine that it is on: the simulators of a demonstration. */
function isSafeTransport({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}
