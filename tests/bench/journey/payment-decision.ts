const webhookRoute = '/hooks/payments/:source'

/**
 * Returns when the webhook of the provider arrived at the server, in milliseconds since 1970: the first one of the log
 * after this time. Undefined when the log has none.
 */
export function readDecision(log: string, afterMs: number): number | undefined {
  return log
    .split('\n')
    .filter(line => line.startsWith('{') && line.includes(webhookRoute))
    .map(line => JSON.parse(line) as { time: string; milliseconds: number }) // as createLogger writes it
    .map(({ time, milliseconds }) => Date.parse(time) - milliseconds)
    .find(decidedMs => decidedMs > afterMs)
}
