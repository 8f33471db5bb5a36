import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { assetPath } from '#server/config/asset-path.ts'
import { type Configuration, readConfig } from '#server/config/config.ts'
import { loadSettings } from '#server/config/load-settings.ts'
import { describeUnread } from '#server/config/unread-variables.ts'
import { errorCodeOf } from '#server/database/retry.ts'
import { createLogger } from '#server/monitoring/logger.ts'
import { machineClock } from '#server/config/machine-clock.ts'
import { serveMetrics } from '#server/monitoring/metrics.ts'
import { closeOnSignal } from './close-on-signal.ts'
import { explainFault, explainUnknown } from './explain-fault.ts'
import { openServer, type OpenServer } from './open-server.ts'
import { demoCertificate, findLanAddresses } from '#server/tls/demo-certificate.ts'
import type { OutgoingMessage } from '#server/integrations/messenger.ts'

await start()

async function start(): Promise<void> {
  const unreadable = loadSettings()
  if (unreadable !== undefined) return exitWithError([unreadable])
  const addresses = findLanAddresses()
  const read = readConfig(process.env, addresses)
  // A misspelt name is often why another setting is missing.
  const unread = describeUnread(process.env)
  if (read.kind === 'faults') return exitWithError([...read.faults, ...unread])
  const { config } = read
  const logger = createLogger(config)
  for (const line of unread) logger.warn({}, line)
  try {
    const server = await openServer({
      config,
      logger,
      staticRoot: assetPath('dist/client'),
      certificate: config.tls
        ? await demoCertificate({ dataDir: config.dataDir, lanAddresses: addresses, now: machineClock.now() })
        : undefined,
      printMessage: config.profile === 'demo' ? printMessage : undefined,
    })
    await serve(server, config)
  } catch (error) {
    exitWithError([explainFault(error, config)])
  }
}

async function serve(server: OpenServer, config: Configuration): Promise<void> {
  try {
    await listen(server.app, config.port)
    if (config.metricsPort !== undefined) {
      const metrics = await serveMetrics(server.metrics.registry, {
        port: config.metricsPort,
        host: config.metricsHost,
      })
      metrics.unref()
    }
  } catch (error) {
    await server.close()
    throw error
  }
  closeOnSignal(server, error => exitWithError([explainUnknown(error)]))
  const address = server.app.server.address()
  const port = isAddress(address) ? address.port : config.port
  if (config.tls) return announceTls(config, port)
  print(`The portal is ready at ${config.port === 0 ? `http://localhost:${port}` : config.publicOrigin}`)
}

function announceTls({ origins, publicOrigin }: Configuration, port: number): void {
  const own = `https://localhost:${port}`
  const others = origins.filter(each => !/^https:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::|$)/.test(each))
  print(`The portal is ready at ${own}`)
  if (others.length > 0) print(`A phone on the same network opens ${others.join(' or ')}`)
  print('Each browser warns once, because this machine made the certificate itself: accept it to continue.')
  if (others.length === 0) print(`This machine has no network address: only it can open ${publicOrigin}.`)
}

/** Listens on all addresses of the machine, or on 0.0.0.0 (IPv4 alone) when the machine has no IPv6. */
async function listen(app: FastifyInstance, port: number): Promise<void> {
  try {
    await app.listen({ port, host: '::' })
  } catch (error) {
    if (errorCodeOf(error) !== 'EAFNOSUPPORT' && errorCodeOf(error) !== 'EADDRNOTAVAIL') throw error
    await app.listen({ port, host: '0.0.0.0' })
  }
}

/** Prints a message of the demo that was written to the folder because its channel has no gateway (D3). */
function printMessage({ channel, to, text }: OutgoingMessage): void {
  print(`\n── ${channel === 'sms' ? 'SMS' : 'E-mail'} to ${to} ──\n${text.trim()}\n`)
}

function exitWithError(lines: string[]): void {
  process.stderr.write(`${lines.join('\n')}\n`)
  process.exit(1)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null
}
