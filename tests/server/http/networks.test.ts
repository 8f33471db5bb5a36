import { describe, expect, it } from 'vitest'
import { keyedHash } from '#server/crypto/keyed-hash.ts'
import { nearNetworkOf, networksOf } from '#server/calls/networks.ts'

type Parts = Parameters<typeof networksOf>[0]

function networks(address: string, profile: 'demo' | 'production' = 'production') {
  const services = { config: { profile }, secrets: { codeKey: new Uint8Array(32) } }
  // The function reads only these two values.
  return networksOf(services as unknown as Parts, address)
}

const hash = (network: string) => keyedHash(new Uint8Array(32), 'network', network)

/** What two addresses share: the network of a customer, the one around it, or nothing. */
function shared(one: string, other: string) {
  const [left, right] = [networks(one), networks(other)]
  return [left?.near === right?.near && 'near', left?.wide === right?.wide && 'wide'].filter(Boolean)
}

describe('the networks of an address (D69, D91)', () => {
  it.each([
    ['41.202.207.10', '41.202.207.10', ['near', 'wide']],
    ['41.202.207.10', '41.202.207.11', ['wide']],
    ['41.202.207.10', '41.202.206.10', []],
    ['::ffff:41.202.207.10', '41.202.207.10', ['near', 'wide']],
    ['::FFFF:41.202.207.10', '41.202.207.11', ['wide']],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:a:b:c:d', ['near', 'wide']],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:3:3:4:5:6', ['wide']],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:2:2:3:4:5:6', []],
    ['2001:db8::1', '2001:0DB8:0:0::2', ['near', 'wide']],
    ['2001:db8::1', '2001:db8:0:0:0:0:0:1', ['near', 'wide']],
    ['2001:db8::1', '2001:db8:0:1::1', ['wide']],
    ['2001:db8:10::', '2001:db8:10:0:1::', ['near', 'wide']],
    ['2001:db8:10::', '2001:db8:1::', []],
    ['::1:2:3:4:5', '0:0:0:1:9:9:9:9', ['near', 'wide']],
    ['::1:2:3:4:5', '::1', ['wide']],
    ['1.12.3.4', '11.2.3.4', []],
    ['1:12:3:4::', '11:2:3:4::', []],
    ['1:2:34:5::', '1:2:3:45::', []],
    ['2001:db8:1:2::1', '2002:db8:1:2::1', []],
    ['1:2::3:4:5:6:7', '1:2:0:3:9:9:9:9', ['near', 'wide']],
    ['2001:a0b:1:2::', '2001:ab:1:2::', []],
    ['2001:0010:1:2::', '2001:10:1:2::', ['near', 'wide']],
    ['2001:000a:1:2::', '2001:a:1:2::', ['near', 'wide']],
    ['64::ffff:1.2.3.4', '64::ffff:5.6.7.8', ['near', 'wide']],
    ['::', '0:0:0:0:0:0:0:0', ['near', 'wide']],
  ])('%s and %s share %o', (one, other, same) => {
    expect(shared(one, other)).toEqual(same)
  })

  it('are keyed, so that a list of hashes reveals no address', () => {
    const { near, wide } = networks('41.202.207.10') ?? {}
    expect([near, wide]).toEqual([hash('41.202.207.10'), hash('41.202.207/24')])
    expect(networks('2001:DB8:1:2::1')?.wide).toBe(hash('2001:db8:1/48'))
  })

  it('are none for the local machine in the demo', () => {
    for (const local of ['::1', '127.0.0.1', '127.9.8.7', '::ffff:127.0.0.1']) {
      expect(networks(local, 'demo')).toBeUndefined()
      expect(networks(local)).toBeDefined()
    }
    for (const remote of ['41.202.207.127', '1.127.0.1', '::2', '2001:db8::1'])
      expect(networks(remote, 'demo')).toBeDefined()
  })
})

describe('the network whose connections are counted together', () => {
  it('is the address, or the /64 of an IPv6 address', () => {
    expect(nearNetworkOf('41.202.207.10')).toBe('41.202.207.10')
    expect(nearNetworkOf('2001:db8:1:2:3:4:5:6')).toBe(nearNetworkOf('2001:db8:1:2::1'))
    expect(nearNetworkOf('2001:db8:1:2:3:4:5:6')).not.toBe(nearNetworkOf('2001:db8:1:3::1'))
  })
})
