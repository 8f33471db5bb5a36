const webhookRoute = '/hooks/payments/:source'

/**
 * Returns the time, in milliseconds since 1970, at which the webhook about the payer's decision arrived:
 * the first webhook in the log that arrived after `afterMs`. Undefined when the log has none.
 */
export function readDecision(log: string, afterMs: number): number | undefined {
  return log
    .split('\n')
    .filter(line => line.startsWith('{') && line.includes(webhookRoute))
    .map(line => JSON.parse(line) as { time: string; milliseconds: number }) // as createLogger writes it
    .map(({ time, milliseconds }) => Date.parse(time) - milliseconds)
    .find(decidedMs => decidedMs > afterMs)
}
