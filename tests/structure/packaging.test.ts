import { describe, expect, it } from 'vitest'
import { variableNames } from '#server/config/config.ts'
import { readText } from './source-tree.ts'

const compose = readText('docs/packaging/compose.yaml')
const dockerfile = readText('docs/packaging/Dockerfile')
const proxy = readText('docs/packaging/nginx.conf')
const portalUnit = readText('docs/packaging/passport-portal@.service')
const backupUnit = readText('docs/packaging/passport-backup.service')

/** Variables of Node.js and npm, which are no settings of the server. */
const foreignVariables = ['NODE_ENV', 'NPM_CONFIG_UPDATE_NOTIFIER']
const known = [...variableNames(), ...foreignVariables]

const services = [...compose.matchAll(/^ {2}(portal-\d):\n {4}<<: \*portal$/gm)].map(([, name = '']) => name)
const addresses = [...compose.matchAll(/ipv4_address: ([\d.]+)/g)].map(([, address = '']) => address)

describe('the image', () => {
  it('sets only variables that the server, Node.js or npm knows', () => {
    const set = [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) => line.split(' '))
    expect(set.length).toBeGreaterThan(0)
    expect(set.filter(each => !known.includes(each.split('=')[0] ?? ''))).toEqual([])
  })

  it('runs as a user without a name, with a health check, and as the process that gets the signals', () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf('FROM '))
    expect(last).toMatch(/^USER [1-9]\d+:[1-9]\d+$/m)
    expect(last).toMatch(/^HEALTHCHECK .*\n? *CMD \["node", .*\/health/m)
    expect(last).toMatch(/^CMD \["node", "server\/start\/start\.mjs"\]$/m)
  })

  it('is built without the secret files that compose.yaml expects beside itself, and .gitignore names each of them too', () => {
    const files = ['database.env', 'database.password', 'owner.env', 'portal.env', 'tls']
    const settings = compose.replaceAll(/^#.*$/gm, '')
    const named = [...settings.matchAll(/[ /[](\w+\.(?:env|password)|tls)(?=[:,\]\s])/g)]
    expect([...new Set(named.map(([, file = '']) => file))].toSorted()).toEqual(files)
    for (const list of ['docs/packaging/Dockerfile.dockerignore', '.gitignore']) {
      const ignored = readText(list).split('\n')
      expect(files.filter(file => !ignored.includes(`docs/packaging/${file}`))).toEqual([])
    }
  })
})

describe('compose.yaml', () => {
  it('starts the processes that the proxy names', () => {
    const named = [...proxy.matchAll(/^ {2}server (portal-\d):8080/gm)].map(([, name = '']) => name)
    expect(services).toEqual(named)
    expect(services.length).toBeGreaterThanOrEqual(3)
  })

  it('gives each process an address that stays: nginx asks for it only at its start', () => {
    expect(new Set(addresses).size).toBe(services.length)
    const subnet = /subnet: ([\d.]+)\.0\/24/.exec(compose)?.[1]
    expect(addresses.every(address => address.startsWith(`${subnet}.`))).toBe(true)
    // Other containers get addresses from the upper half.
    expect(compose).toContain(`ip_range: ${subnet}.128/25`)
    expect(addresses.every(address => Number(address.split('.')[3]) < 128)).toBe(true)
    expect(compose).toContain(`TRUSTED_PROXIES=${subnet}.0/24`)
  })

  it('waits until PostgreSQL answers over TCP: while the image creates the database, it answers on its socket only', () => {
    expect(compose).toContain('pg_isready -h 127.0.0.1 ')
  })

  it('lets the processes connect as a role that cannot change tables; only the service "migrate" has the owner (D117)', () => {
    const parts = compose.split(/^ {2}(?=[\w-]+:$)/m)
    expect(parts.filter(part => part.includes('owner.env]')).map(part => part.split(':')[0])).toEqual([
      'migrate',
    ])
    const [, role] = /'migrate', '--grant-to', '(\w+)'/.exec(compose) ?? []
    expect(compose).toContain(`DATABASE_URL=postgres://${role}:`)
    expect(readText('docs/packaging/serving-role.sql')).toContain(`\ncreate role ${role} login password `)
    expect(compose).toContain('./serving-role.sql:/docker-entrypoint-initdb.d/')
    expect(compose).toContain('migrate: { condition: service_completed_successfully }')
  })

  it('restricts each process: no capability, no new privilege, a read-only file system', () => {
    // Each of `services` uses this block.
    const [shared] = /^x-portal: &portal\n(?: .*\n)+/m.exec(compose) ?? []
    for (const line of ['read_only: true', 'cap_drop: [ALL]', "security_opt: ['no-new-privileges:true']"])
      expect(shared).toContain(`\n  ${line}\n`)
  })

  it('tells the operator to set only variables that the server knows', () => {
    const named = [...compose.matchAll(/\b([A-Z][A-Z_]{3,})=/g)].map(([, name = '']) => name)
    expect(named.filter(name => !known.includes(name))).toEqual([])
  })
})

describe('the units of systemd', () => {
  it('set only variables that the server knows', () => {
    const set = [...portalUnit.matchAll(/^Environment=(\w+)=/gm)].map(([, name = '']) => name)
    expect(set.filter(name => !known.includes(name))).toEqual([])
  })

  it('give each process on the machine its own port of metrics: a second one on the same port does not start', () => {
    const [, metricsPort = ''] = /^Environment=METRICS_PORT=(\S+)$/m.exec(portalUnit) ?? []
    const ports = [...portalUnit.matchAll(/passport-portal@(\d+)/g)].map(([, port = '']) => Number(port))
    const ofMetrics = ports.map(port => Number(metricsPort.replace('%i', String(port))))
    expect(ports.length).toBeGreaterThanOrEqual(3)
    expect(new Set([...ports, ...ofMetrics]).size).toBe(2 * ports.length)
    expect(ofMetrics.every(port => port < 65_536)).toBe(true)
  })

  it('set no limit to the starts of a process that fails, for example while PostgreSQL is down', () => {
    const [unit = ''] = portalUnit.split('[Service]')
    expect(unit).toContain('\nStartLimitIntervalSec=0\n')
    expect(unit).toMatch(/^After=.*\bpostgresql\.service\b/m)
  })

  it('leave a process longer to stop than it takes (D6)', () => {
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(portalUnit)?.[1])).toBeGreaterThan(10)
    expect(compose).toContain('stop_grace_period: 15s')
  })

  it('write dumps only into the folder of the backups, as the user of PostgreSQL, who writes the WAL there', () => {
    const [, folder] = /^ExecStart=\S+backup\.sh (\S+)$/m.exec(backupUnit) ?? []
    expect(backupUnit).toContain('ProtectSystem=strict\n')
    expect(backupUnit.match(/^ReadWritePaths=.*$/gm)).toEqual([`ReadWritePaths=${folder}`])
    expect(backupUnit).toContain('User=postgres\n')
    expect(readText('docs/deploy.md')).toContain(`export BACKUP=${folder} `)
  })
})
