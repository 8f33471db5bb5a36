import { networkInterfaces } from 'node:os'

/** The IP addresses of this machine that its network can reach, IPv4 first; no link-local ones. */
export function lanAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap(each => each ?? [])
  const reachable = all.filter(
    ({ internal, address }) => !internal && !/^(?:fe80:|169\.254\.)/i.test(address),
  )
  return reachable.toSorted((a, b) => a.family.localeCompare(b.family)).map(({ address }) => address)
}
