import { join } from 'node:path'
import type { Configuration, SmsProvider } from '#server/config/config.ts'
import { gatewayRequests } from '#server/calls/event-counts.ts'
import { traced } from '#server/calls/tracing.ts'
import type { Clock } from '#server/calls/services.ts'
import { type GuardedMessenger, withCircuitBreaker } from './circuit-breaker.ts'
import { createFallbackMessenger } from './fallback-messenger.ts'
import { createFolderMessenger } from './folder-messenger.ts'
import { toGsm7 } from './gsm-7.ts'
import { createInfobipSms } from './infobip-sms.ts'
import type { Messenger, Messengers, OutgoingMessage } from './messenger.ts'
import { createOrangeSms } from './orange-sms.ts'
import { createSmsGateway } from './sms-gateway.ts'
import { createSmtpMessenger } from './smtp-messenger.ts'

/**
 * Returns the messengers of the configured gateways. The messages of a channel without a gateway go to a folder (D3),
 * which production refuses (D2). `printMessage` gets each message that is written to the folder.
 */
export function chooseMessengers(
  config: Configuration,
  clock: Clock,
  printMessage: (message: OutgoingMessage) => void,
): Messengers {
  const now = () => clock.now()
  const folder = createFolderMessenger({
    folder: join(config.dataDir, 'outbox'),
    now,
    onWritten: printMessage,
  })
  return {
    sms: withGsm7Letters(chooseSms(config, now) ?? folder),
    email: chooseMail(config, now) ?? folder,
  }
}

/** A pause delays every message, also codes, so it is short and needs several failures. */
const onlyGateway = { maxFailures: 3, pauseMs: 15_000 }

/**
 * A pause costs nothing, because the other gateway sends the messages. So it begins after one failure: the next code must not
 * wait for the timeout of the same gateway.
 */
const oneOfTwo = { maxFailures: 1, pauseMs: 60_000 }

function chooseSms(config: Configuration, now: () => Date): GuardedMessenger | undefined {
  const { provider, fallback } = config.sms
  return guarded(makeGateway(provider, config, now), makeGateway(fallback, config, now), now)
}

function chooseMail(
  { mailServers, mailFrom: from }: Configuration,
  now: () => Date,
): GuardedMessenger | undefined {
  const [first, second] = mailServers.map((server, index) =>
    withCount(index === 0 ? 'smtp' : 'smtp-fallback', createSmtpMessenger({ ...server, from }, now)),
  )
  return guarded(first, second, now)
}

/** Undefined without a first gateway. */
function guarded(
  first: Messenger | undefined,
  second: Messenger | undefined,
  now: () => Date,
): GuardedMessenger | undefined {
  if (first === undefined) return undefined
  if (second === undefined) return withCircuitBreaker(first, now, onlyGateway)
  return createFallbackMessenger(
    withCircuitBreaker(first, now, oneOfTwo),
    withCircuitBreaker(second, now, oneOfTwo),
  )
}

function makeGateway(provider: SmsProvider, config: Configuration, now: () => Date): Messenger | undefined {
  const gateway = createGateway(provider, config, now)
  return gateway && withCount(provider, gateway)
}

/** Counts and traces what a gateway answers (D105, D106). */
function withCount(gateway: string, messenger: Messenger): Messenger {
  return {
    ...messenger,
    async send(message) {
      const result = await traced(
        { name: `gateway ${gateway}`, kind: 'client' },
        () => messenger.send(message),
        ({ kind }) => kind === 'failed',
      )
      const failure = result.kind === 'failed' && (result.isMessageRefused ? 'refused' : 'failed')
      gatewayRequests.inc({ gateway, outcome: failure || 'answered' })
      return result
    },
  }
}

function createGateway(provider: SmsProvider, config: Configuration, now: () => Date): Messenger | undefined {
  const { http, orange, infobip } = config.sms
  switch (provider) {
    case 'none':
      return undefined
    case 'http':
      return http.url === undefined ? undefined : createSmsGateway({ ...http, url: http.url })
    case 'orange':
      return createOrangeSms(orange, now)
    case 'infobip':
      return createInfobipSms({ ...infobip, reportUrl: reportAddress(config, 'infobip') })
  }
}

/** Returns the address to which a gateway posts its delivery reports; undefined when reports are off. */
function reportAddress(
  { publicOrigin, sms }: Pick<Configuration, 'publicOrigin' | 'sms'>,
  provider: SmsProvider,
): string | undefined {
  return sms.reportKey === undefined ? undefined : `${publicOrigin}/hooks/sms/${provider}/${sms.reportKey}`
}

function withGsm7Letters(messenger: Messenger): Messenger {
  return { ...messenger, send: message => messenger.send({ ...message, text: toGsm7(message.text) }) }
}
