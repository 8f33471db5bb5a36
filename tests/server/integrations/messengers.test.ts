import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { claimSeconds } from '#server/features/messages/claim-due.ts'
import { createFolderMessenger } from '#server/integrations/folder-messenger.ts'
import type { OutgoingMessage } from '#server/integrations/messenger.ts'
import { createSmsGateway } from '#server/integrations/sms-gateway.ts'
import { createSmtpMessenger, mailTimeoutMs } from '#server/integrations/smtp-messenger.ts'
import { startFakeHttpService, startFakeLineService } from '#support/providers/fake-services.ts'

const sms: OutgoingMessage = {
  key: 'otp-1',
  channel: 'sms',
  kind: 'otp',
  to: '237670000001',
  subject: 'Code',
  text: 'Votre "code" : 123456\n\n@localhost #123456',
  code: '123456',
}

describe('the message folder of the demo', () => {
  it('gets one complete JSON file per message, sorted by time', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'outbox-'))
    // The messenger creates the folder.
    const folder = join(parent, 'outbox')
    let minute = 10
    const reported: OutgoingMessage[] = []
    const messenger = createFolderMessenger({
      folder,
      now: () => new Date(`2026-12-01T10:${minute++}:00Z`),
      onWritten: message => reported.push(message),
    })
    await messenger.send({ ...sms, key: 'a' })
    await messenger.send({ ...sms, key: 'b', channel: 'email', to: 'awa@example.cm' })
    const files = readdirSync(folder).toSorted()
    const contents = files.map((name): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8')))
    rmSync(parent, { recursive: true })
    expect(files).toHaveLength(2)
    expect(files.every(name => /^2026-12-01T10-\d\d-00-000Z-otp-\w{16}\.json$/.test(name))).toBe(true)
    expect(contents[0]).toEqual({
      to: '237670000001',
      channel: 'sms',
      kind: 'otp',
      subject: 'Code',
      text: sms.text,
      code: '123456',
      at: '2026-12-01T10:10:00.000Z',
    })
    expect(contents[1]).toMatchObject({ to: 'awa@example.cm', channel: 'email' })
    expect(reported).toHaveLength(2)
  })
})

describe('an SMS gateway', () => {
  it('gets its JSON with the key of the message and the token', async () => {
    const requests: { headers: object; body: string }[] = []
    const fakeService = await startFakeHttpService(request => {
      requests.push(request)
      return { status: requests.length === 1 ? 201 : 500 }
    })
    const gateway = createSmsGateway({
      url: `http://127.0.0.1:${fakeService.port}/send`,
      token: 'the-token',
      body: '{"msg":{"to":"+{to}","body":"{text}"},"id":"{key}"}',
    })
    expect(await gateway.send(sms)).toEqual({ kind: 'sent' })
    expect(await gateway.send(sms)).toEqual({ kind: 'failed', reason: 'status 500' })
    await fakeService.close()
    expect(await gateway.send(sms)).toMatchObject({ kind: 'failed' })
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      msg: { to: '+237670000001', body: sms.text },
      id: 'otp-1',
    })
    expect(requests[0]?.headers).toMatchObject({
      authorization: 'Bearer the-token',
      'idempotency-key': 'otp-1',
    })
  })

  it.each([
    [400, { isMessageRefused: true }],
    [413, { isMessageRefused: true }],
    [422, { isMessageRefused: true }],
    [401, {}],
    [404, {}],
    [503, {}],
  ])(
    'makes sending fail with status %i, and `isMessageRefused` says whether only this SMS is refused (D94)',
    async (status, also) => {
      const fakeService = await startFakeHttpService(() => ({ status }))
      const url = `http://127.0.0.1:${fakeService.port}/send`
      const gateway = createSmsGateway({ url, token: 'the-token', body: '{"to":"{to}"}' })
      expect(await gateway.send(sms)).toEqual({ kind: 'failed', reason: `status ${status}`, ...also })
      await fakeService.close()
    },
  )
})

const now = () => new Date('2026-12-01T09:30:00Z')

describe('an SMTP server', () => {
  it('gets the mail with its attachment, and sending fails while the server is down', async () => {
    const lines: string[] = []
    const fakeService = await startFakeLineService(socket => speakSmtp(socket, lines))
    const url = `smtp://127.0.0.1:${fakeService.port}`
    const messenger = createSmtpMessenger(
      { url, from: 'Passeport <no-reply@example.cm>', needsTls: false },
      now,
    )
    const attachments = [{ name: 'reçu.pdf', type: 'application/pdf', base64: 'JVBERg==' }]
    const mail: OutgoingMessage = {
      ...sms,
      channel: 'email',
      to: 'awa@example.cm',
      subject: 'Reçu',
      attachments,
    }
    expect(await messenger.send(mail)).toEqual({ kind: 'sent' })
    await fakeService.close()
    const text = lines.join('\n')
    expect(text).toContain('To: awa@example.cm')
    expect(text).toContain('Message-ID: <otp-1@example.cm>')
    expect(text).toContain('JVBERg==')
    expect(text).toContain('Date: Tue, 01 Dec 2026 09:30:00 +0000')
    const unreachable = createSmtpMessenger({ url, from: 'no-reply@example.cm', needsTls: false }, now)
    expect(await unreachable.send(mail)).toEqual({ kind: 'failed', reason: 'ESOCKET' })
  })

  it('gets no further recipient, header or command from a recipient and a subject with line breaks', async () => {
    const lines: string[] = []
    const fakeService = await startFakeLineService(socket => speakSmtp(socket, lines))
    const url = `smtp://127.0.0.1:${fakeService.port}`
    const messenger = createSmtpMessenger({ url, from: 'no-reply@example.cm', needsTls: false }, now)
    const more = '\r\nRCPT TO:<evil@example.cm>\r\nBcc: evil@example.cm\r\n\r\nevil'
    const mail: OutgoingMessage = { ...sms, channel: 'email', to: 'awa@example.cm' }
    await messenger.send({ ...mail, to: `awa@example.cm${more}` })
    await messenger.send({ ...mail, subject: `Code${more}` })
    await fakeService.close()
    expect(lines.filter(line => /^(?:RCPT|Bcc)/i.test(line) && line.includes('<evil@'))).toEqual([])
    expect(lines.filter(line => /^Bcc:/i.test(line))).toEqual([])
    expect(lines).toContain('DATA')
  })

  it.each([
    ['refuses the recipient', { RCPT: '550 unknown' }, { reason: 'EENVELOPE', isMessageRefused: true }],
    ['refuses the content', { '.': '554 no' }, { reason: 'EMESSAGE', isMessageRefused: true }],
    ['takes the recipient later', { RCPT: '450 later' }, { reason: 'EENVELOPE', isMessageRefused: true }],
    ['has no room for a mail', { MAIL: '452 full' }, { reason: 'EENVELOPE' }],
    ['has no room for the content', { '.': '452 full' }, { reason: 'EMESSAGE' }],
    ['takes no mail of this sender', { MAIL: '553 not allowed' }, { reason: 'EENVELOPE' }],
    ['takes no data', { DATA: '554 no' }, { reason: 'EENVELOPE' }],
  ])(
    'makes sending fail when it %s, and `isMessageRefused` says whether only this mail is refused (D94)',
    async (_, replies, failure) => {
      const fakeService = await startFakeLineService(socket => speakSmtp(socket, [], replies))
      const url = `smtp://127.0.0.1:${fakeService.port}`
      const messenger = createSmtpMessenger({ url, from: 'no-reply@example.cm', needsTls: false }, now)
      const result = await messenger.send({ ...sms, channel: 'email', to: 'awa@example.cm' })
      await fakeService.close()
      expect(result).toEqual({ kind: 'failed', ...failure })
    },
  )

  it('has no more time for one mail than the timeout, also when it sends its replies a little at a time (D94)', async () => {
    const trickles = new Set<NodeJS.Timeout>()
    const fakeService = await startFakeLineService(socket => {
      const answerLine = speakSmtp(socket, [])
      return line => {
        if (line.startsWith('MAIL')) trickles.add(setInterval(() => socket.write('250-wait\r\n'), 20))
        else answerLine(line)
      }
    })
    const url = `smtp://127.0.0.1:${fakeService.port}`
    const settings = { url, from: 'no-reply@example.cm', needsTls: false, timeoutMs: 300 }
    const result = await createSmtpMessenger(settings, now).send({
      ...sms,
      channel: 'email',
      to: 'a@example.cm',
    })
    for (const trickle of trickles) clearInterval(trickle)
    await fakeService.close()
    expect(result).toEqual({ kind: 'failed', reason: 'EABORT' })
    // One mail may wait for this timeout at the first mail server, and again at the second. If both together were longer than
    // the claim, another process would claim the mail and send it too.
    expect(2 * mailTimeoutMs).toBeLessThan(claimSeconds * 1_000)
  })

  it('gets neither the log-in nor the mail when it offers no TLS and TLS is needed', async () => {
    const lines: string[] = []
    const fakeService = await startFakeLineService(socket => speakSmtp(socket, lines))
    const url = `smtp://portal:secret@127.0.0.1:${fakeService.port}`
    const messenger = createSmtpMessenger({ url, from: 'no-reply@example.cm', needsTls: true }, now)
    const result = await messenger.send({ ...sms, channel: 'email', to: 'awa@example.cm' })
    await fakeService.close()
    expect(result).toEqual({ kind: 'failed', reason: 'ETLS' })
    expect(lines.map(line => line.split(' ')[0])).toEqual(['EHLO', 'STARTTLS'])
  })
})

/**
 * Implements the part of SMTP that one mail needs, without TLS. `replies`: the key is the first word of a command, or
 * `.` for the end of the content.
 */
function speakSmtp(
  socket: Socket,
  lines: string[],
  replies: Record<string, string> = {},
): (line: string) => void {
  let inData = false
  socket.write('220 test\r\n')
  return line => {
    lines.push(line)
    if (inData && line !== '.') return
    if (line === 'STARTTLS') return void socket.write('502 not known\r\n')
    const reply = replies[line.split(' ')[0] ?? '']
    inData = !inData && line === 'DATA' && reply === undefined
    const usual = inData ? '354 go on' : line.startsWith('QUIT') ? '221 bye' : '250 ok'
    socket.write(`${reply ?? usual}\r\n`)
  }
}
