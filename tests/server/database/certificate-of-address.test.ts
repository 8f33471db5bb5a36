import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { generate } from 'selfsigned'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectDatabase } from '#server/database/connect.ts'

let folder: string
let server: ReturnType<typeof createServer>
/** What each connection sends first inside TLS, and the host that it names for the choice of a certificate; false: none. */
let started: { message: string; servername: unknown }[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'database-tls-'))
  started = []
})
afterEach(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

/** Answers like a PostgreSQL with TLS at 127.0.0.1 whose certificate is for `ip`, until the first message inside TLS. */
async function listenWithCertificateFor(ip: string): Promise<string> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'database' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip }] }],
  })
  server = createServer((socket: Socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write('S')
      const encrypted = new TLSSocket(socket, { isServer: true, key, cert })
      encrypted.on('error', () => undefined)
      encrypted.once('data', data => {
        started.push({ message: data.toString('latin1'), servername: encrypted.servername })
        encrypted.destroy()
      })
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const file = join(folder, 'authority.pem')
  writeFileSync(file, cert)
  return `postgres://portal:hunter2@127.0.0.1:${port}/portal?sslmode=verify-full&sslrootcert=${file}`
}

async function failureOf(databaseUrl: string): Promise<unknown> {
  const database = await connectDatabase({ databaseUrl, dataDir: '' })
  try {
    return await database.db.selectFrom('office').select('id').execute()
  } catch (error) {
    return error
  } finally {
    await database.close()
  }
}

describe('PostgreSQL at an IP address (sslmode=verify-full)', () => {
  it('is believed with a certificate for this address, and gets no host name, which TLS forbids for addresses', async () => {
    const databaseUrl = await listenWithCertificateFor('127.0.0.1')
    await failureOf(databaseUrl)
    expect(started).toEqual([{ message: expect.stringContaining('user\0portal'), servername: false }])
  })

  it('gets nothing with a certificate for another address', async () => {
    const databaseUrl = await listenWithCertificateFor('10.1.2.3')
    expect(await failureOf(databaseUrl)).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
    expect(started).toEqual([])
  })
})
