import { describe, expect, it } from 'vitest'
import { withCircuitBreaker } from '#server/integrations/circuit-breaker.ts'
import { createFallbackMessenger } from '#server/integrations/fallback-messenger.ts'
import type { Messenger, OutgoingMessage, SendResult } from '#server/integrations/messenger.ts'

const sms: OutgoingMessage = {
  key: 'k',
  channel: 'sms',
  kind: 'otp',
  to: '237670000001',
  subject: '',
  text: 'T',
}
const down: SendResult = { kind: 'failed', reason: 'TimeoutError' }
const refused: SendResult = { kind: 'failed', reason: 'status 400', isMessageRefused: true }
const sent: SendResult = { kind: 'sent' }

/** A gateway with these answers in turn; the last one repeats. */
function gateway(...answers: SendResult[]): Messenger & { count: () => number } {
  let count = 0
  return {
    async send() {
      count += 1
      return answers[Math.min(count, answers.length) - 1] ?? sent
    },
    count: () => count,
  }
}

function breaker(messenger: Messenger, maxFailures = 3) {
  let seconds = 0
  const guarded = withCircuitBreaker(messenger, () => new Date(seconds * 1_000), {
    maxFailures,
    pauseMs: 15_000,
  })
  return { guarded, advance: (by: number) => (seconds += by) }
}

describe('a circuit breaker (D94)', () => {
  it('pauses the gateway after three failures in a row, for 15 s', async () => {
    const { guarded, advance } = breaker(gateway(down))
    for (const isPaused of [false, false, true]) {
      await guarded.send(sms)
      expect(guarded.isPaused()).toBe(isPaused)
    }
    advance(15)
    expect(guarded.isPaused()).toBe(false)
  })

  it('pauses again when the first message after the pause fails, and not when it is sent', async () => {
    const { guarded, advance } = breaker(gateway(down, down, down, down, sent))
    for (let tries = 0; tries < 3; tries += 1) await guarded.send(sms)
    for (const isPaused of [true, false]) {
      advance(15)
      await guarded.send(sms)
      expect(guarded.isPaused()).toBe(isPaused)
    }
  })

  it('pauses for another 15 s when the message after the pause fails', async () => {
    const { guarded, advance } = breaker(gateway(down), 1)
    await guarded.send(sms)
    advance(15)
    await guarded.send(sms)
    advance(14)
    expect(guarded.isPaused()).toBe(true)
    advance(1)
    expect(guarded.isPaused()).toBe(false)
  })

  it.each([-1, -86_400])('ends the pause when the clock is set back (%d s) (D95)', async by => {
    const { guarded, advance } = breaker(gateway(down), 1)
    await guarded.send(sms)
    advance(by)
    expect(guarded.isPaused()).toBe(false)
  })

  it('is failing from the third failure in a row until a success, also after a pause', async () => {
    const { guarded, advance } = breaker(gateway(down, down, down, sent))
    const failing = [guarded.isFailing()]
    for (let tries = 0; tries < 4; tries += 1) {
      await guarded.send(sms)
      advance(15)
      failing.push(guarded.isFailing())
    }
    expect(failing).toEqual([false, false, false, true, false])
  })

  it('stays paused while one message tries the gateway', async () => {
    const { guarded, advance } = breaker(gateway(down), 1)
    await guarded.send(sms)
    advance(15)
    const trying = guarded.send(sms)
    expect(guarded.isPaused()).toBe(true)
    await trying
  })

  it('does not pause a gateway that refuses single messages', async () => {
    const { guarded } = breaker(gateway(refused))
    for (let tries = 0; tries < 10; tries += 1) await guarded.send(sms)
    expect(guarded.isPaused()).toBe(false)
  })
})

describe('two gateways (D94)', () => {
  it('send by the second one when the first fails, and while the first is paused', async () => {
    const [first, second] = [gateway(down), gateway(sent)]
    const one = breaker(first, 1)
    const both = createFallbackMessenger(one.guarded, breaker(second, 1).guarded)
    for (let messages = 0; messages < 5; messages += 1) expect(await both.send(sms)).toEqual(sent)
    expect([first.count(), second.count()]).toEqual([1, 5])
    one.advance(15)
    await both.send(sms)
    expect([first.count(), second.count()]).toEqual([2, 6])
    expect(both.isPaused()).toBe(false)
  })

  it('are paused together when both fail', async () => {
    const both = createFallbackMessenger(breaker(gateway(down), 1).guarded, breaker(gateway(down), 1).guarded)
    expect(await both.send(sms)).toEqual({ kind: 'failed', reason: 'TimeoutError; TimeoutError' })
    expect(both.isPaused()).toBe(true)
  })
})
