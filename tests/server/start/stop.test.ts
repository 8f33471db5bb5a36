import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { enqueue } from '#server/features/messages/outbox.ts'
import type { OutgoingMessage } from '#server/integrations/messenger.ts'
import { openServer } from '#server/start/open-server.ts'
import { configOf, servicesOn, silentLogger } from '#support/servers/services-on.ts'
import { openTestDatabase } from '#support/servers/test-databases.ts'
import { bundleChild } from '../database/child.ts'

let program: Awaited<ReturnType<typeof bundleChild>>
beforeAll(async () => {
  program = await bundleChild('../start/child-stop.ts')
})
afterAll(() => program.remove())

it.each([
  ['SIGTERM', 'SIGTERM'],
  ['SIGINT', 'SIGINT'], // Ctrl-C under npm start: one of the terminal and one of npm
  ['SIGINT', 'SIGTERM'],
] as const)(
  'a process that was told to stop by %s completes its work even when %s follows (D6)',
  async (first, second) => {
    const server = program.start('')
    try {
      expect(await server.nextLine()).toBe('ready')
      server.signal(first)
      expect(await server.nextLine()).toBe('closing')
      server.signal(second)
      expect(await server.nextLine()).toBe('closed')
      expect(await server.nextLine()).toBeUndefined()
    } finally {
      await server.kill()
    }
  },
)

it('a server that is stopping sends no further message while a slow client delays its end (D6, D94)', async () => {
  const database = await openTestDatabase('postgresql')
  const folder = mkdtempSync(join(tmpdir(), 'stop-'))
  const sent: OutgoingMessage[] = []
  const server = await openServer({
    config: configOf({ DATABASE_URL: database.databaseUrl, DATA_DIR: folder, CAPTCHA: 'off' }),
    logger: silentLogger,
    printMessage: message => sent.push(message),
  })
  const { db } = await servicesOn(database.db)
  const send = (key: string) =>
    enqueue(db, {
      key,
      channel: 'sms',
      kind: 'otp',
      recipient: '237670000001',
      message: { subject: '', text: key },
    })
  const { port } = new URL(await server.app.listen({ port: 0, host: '127.0.0.1' }))
  const client = connect(Number(port), '127.0.0.1')
  await once(client, 'connect')
  let closed: Promise<void> | undefined
  let isClosed = false
  const close = async () => {
    await server.close()
    isClosed = true
  }
  try {
    await send('before the stop')
    await expect.poll(() => sent.length).toBe(1)
    client.write('POST /api/v1/auth HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n')
    await pause(200) // until the server has read the headers of this request, whose body never comes
    closed = close()
    await pause(2_500) // longer than `drainMs`: the server stops its jobs only after the drain
    await send('during the stop')
    await pause(2_500) // longer than the pause between two reads of the outbox
    expect(isClosed).toBe(false)
    expect(sent.map(({ text }) => text)).toEqual(['before the stop'])
  } finally {
    client.destroy()
    await (closed ?? close())
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
