import { isIP } from 'node:net'
import type { Services } from './services.ts'
import { keyedHash } from '#server/crypto/keyed-hash.ts'

/**
 * The two networks of an address, as text or as keyed hashes. `near` is what one customer has: an IPv4 address, or the
 * /64 of an IPv6 address. `wide` is the network around it, which one attacker may have as well: the /24, or the /48.
 */
export type Networks = { near: string; wide: string }

/**
 * Returns keyed hashes of the networks of an address. Undefined for the local machine in the demo: all its visitors have
 * one address, and would soon reach its limits.
 */
export function networksOf(
  { config, secrets }: Pick<Services, 'config' | 'secrets'>,
  address: string,
): Networks | undefined {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (config.profile === 'demo' && (plain === '::1' || plain.startsWith('127.'))) return undefined
  const { near, wide } = prefixesOf(plain)
  const hash = (network: string) => keyedHash(secrets.codeKey, 'network', network)
  return { near: hash(near), wide: hash(wide) }
}

/**
 * Returns the network that one customer has, as text: an IPv4 address, or the /64 of an IPv6 address. An IPv4 address must
 * not have `::ffff:` before it.
 */
export function nearNetworkOf(address: string): string {
  return prefixesOf(address).near
}

function prefixesOf(address: string): Networks {
  if (isIP(address) !== 6) return { near: address, wide: `${address.split('.', 3).join('.')}/24` }
  const groups = groupsOf(address)
  return { near: groups.slice(0, 4).join(':'), wide: `${groups.slice(0, 3).join(':')}/48` }
}

/** Returns the groups of an IPv6 address without leading zeros. */
function groupsOf(address: string): string[] {
  const [head = '', tail = ''] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return [...left, ...zeros, ...right].map(group => group.replace(/^0+(?=.)/, '').toLowerCase())
}
