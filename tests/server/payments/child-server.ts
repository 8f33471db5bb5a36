import * as z from 'zod/mini'
import { readConfig } from '#server/config/config.ts'
import { openServer } from '#server/start/open-server.ts'

/**
 * Runs the real server in its own process. The argument contains its environment variables as JSON, with the port. Prints
 * `ready` when the server listens.
 */
const read = readConfig(z.parse(z.record(z.string(), z.string()), JSON.parse(process.argv[2] ?? '{}')))
if (read.kind === 'faults') throw new Error(read.faults.join('\n'))
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
const { app } = await openServer({ config: read.config, logger: silent })
await app.listen({ port: read.config.port, host: '127.0.0.1' })
process.stdout.write('ready\n')
