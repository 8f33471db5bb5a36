import { failureOfStatus, type Messenger } from './messenger.ts'

const timeoutMs = 10_000

/**
 * Sends SMS over HTTP. `body` is a JSON template with the placeholders {to}, {text} and {key}. A response of 2xx means
 * that the gateway accepted the message, not that it arrived.
 */
export function createSmsGateway(settings: {
  url: string
  token?: string | undefined
  body: string
}): Messenger {
  return {
    async send({ key, to, text }) {
      try {
        const response = await fetch(settings.url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'idempotency-key': key,
            ...(settings.token ? { authorization: `Bearer ${settings.token}` } : {}),
          },
          body: fillIn(settings.body, { to, text, key }),
          redirect: 'error',
          signal: AbortSignal.timeout(timeoutMs),
        })
        await response.body?.cancel()
        return response.ok ? { kind: 'sent' } : failureOfStatus(`status ${response.status}`, response.status)
      } catch (error) {
        return { kind: 'failed', reason: error instanceof Error ? error.name : 'unknown' }
      }
    },
  }
}

/**
 * Fills in the placeholders of a JSON template. The values are escaped as parts of JSON strings. Only {to}, which is digits,
 * may be outside a string.
 */
function fillIn(template: string, values: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    return value === undefined ? whole : JSON.stringify(value).slice(1, -1)
  })
}
