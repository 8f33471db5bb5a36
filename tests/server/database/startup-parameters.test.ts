import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { connectDatabase } from '#server/database/connect.ts'

/** Reads the first message of each connection, and then ends the connection. */
let server: ReturnType<typeof createServer>
let databaseUrl: string
let firstMessages: Buffer[]
beforeEach(async () => {
  firstMessages = []
  server = createServer((socket: Socket) => {
    socket.once('data', data => {
      firstMessages.push(data)
      socket.destroy()
    })
    socket.on('error', () => undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  databaseUrl = `postgresql://portal@127.0.0.1:${port}/portal`
})
afterEach(() => void server.close())

/** Of the parameters that the driver may send, those that PgBouncer takes without `ignore_startup_parameters`. */
const known = ['user', 'database', 'client_encoding', 'application_name']

/**
 * The names in a start-up message: its length and the version of the protocol, then names and values that end with a
 * zero.
 */
function namesIn(message: Buffer): string[] {
  const words = message.subarray(8).toString('utf8').split('\0')
  return words.filter((word, index) => index % 2 === 0 && word !== '')
}

it('sends no parameter that PgBouncer refuses, for calls, for events and for /ready', async () => {
  const database = await connectDatabase({
    databaseUrl,
    dataDir: '',
    limits: { statementMs: 1_000, lockMs: 1_000, idleInTransactionMs: 1_000, answerMs: 1_000 },
  })
  const listener = database.listen(() => undefined)
  await expect(database.probe()).rejects.toThrow()
  await expect(database.db.selectFrom('office').select('id').execute()).rejects.toThrow()
  await expect.poll(() => firstMessages.length).toBeGreaterThanOrEqual(3)
  const sent = new Set(firstMessages.flatMap(namesIn))
  await listener.stop()
  await database.close()
  expect([...sent].filter(name => !known.includes(name))).toEqual([])
  expect(sent).toContain('database')
})
