import type { Socket } from 'node:net'
import { type FakeService, startFakeLineService } from './fake-services.ts'

/** `login`: name and password, as `name:password`; undefined when the client did not log in. */
type ReceivedMail = { from: string; to: string[]; source: string; login: string | undefined }
export type SmtpListener = FakeService & {
  url: string
  mails: ReceivedMail[]
  /** Called when the server has accepted a mail and not responded yet. */
  onAccepted(): void
}

/** A mail server that stores its mails: the submission part of RFC 5321, with AUTH PLAIN and refused recipients. */
export async function startSmtpListener(
  rules: { login?: string; password?: string; refuses?: (address: string) => boolean } = {},
): Promise<SmtpListener> {
  const mails: ReceivedMail[] = []
  const take = (mail: ReceivedMail) => {
    mails.push(mail)
    listener.onAccepted()
  }
  const fakeService = await startFakeLineService(socket => serve(socket, take, rules))
  const login = rules.login === undefined ? '' : `${rules.login}:${rules.password ?? ''}@`
  const url = `smtp://${login}127.0.0.1:${fakeService.port}`
  const listener: SmtpListener = { ...fakeService, url, mails, onAccepted: () => undefined }
  return listener
}

type Rules = Parameters<typeof startSmtpListener>[0] & object
type Conversation = { from: string; to: string[]; lines: string[] | undefined; login: string | undefined }

function serve(socket: Socket, take: (mail: ReceivedMail) => void, rules: Rules): (line: string) => void {
  const state: Conversation = { from: '', to: [], lines: undefined, login: undefined }
  const say = (words: string) => socket.write(`${words}\r\n`)
  say('220 listener ESMTP')
  return line => {
    if (state.lines) return hearData(line, state, { take, say })
    const [verb = ''] = line.split(' ')
    switch (verb.toUpperCase()) {
      case 'EHLO':
        return say(rules.login === undefined ? '250 listener' : '250-listener\r\n250 AUTH PLAIN')
      case 'AUTH': {
        const login = credentialsOf(line)
        if (login !== `${rules.login}:${rules.password}`) return say('535 wrong')
        state.login = login
        return say('235 welcome')
      }
      case 'MAIL':
        if (rules.login !== undefined && state.login === undefined) return say('530 who are you')
        state.from = addressIn(line)
        state.to = []
        return say('250 ok')
      case 'RCPT':
        if (rules.refuses?.(addressIn(line))) return say('550 nobody here')
        state.to.push(addressIn(line))
        return say('250 ok')
      case 'DATA':
        state.lines = []
        return say('354 go on')
      case 'QUIT':
        say('221 bye')
        return socket.end()
      case 'RSET':
      case 'NOOP':
        return say('250 ok')
      default:
        return say('502 not known')
    }
  }
}

function hearData(
  line: string,
  state: Conversation,
  { take, say }: { take: (mail: ReceivedMail) => void; say: (words: string) => void },
): void {
  if (line !== '.') {
    // SMTP doubles a dot at the start of a line.
    state.lines?.push(line.replace(/^\./, ''))
    return
  }
  const { from, to, lines = [], login } = state
  take({ from, to, source: lines.join('\n'), login })
  state.lines = undefined
  say('250 taken')
}

function addressIn(line: string): string {
  return /<([^>]*)>/.exec(line)?.[1] ?? ''
}

function credentialsOf(line: string): string {
  const [, login, password] = Buffer.from(line.split(' ')[2] ?? '', 'base64')
    .toString()
    .split('\0')
  return `${login}:${password}`
}
