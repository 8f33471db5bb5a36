/** The process must end within ten seconds after SIGTERM or SIGINT (D6). */
const closeTimeoutMs = 9_000

/**
 * Closes the server at the first SIGTERM or SIGINT, and then ends the process with 0. A later signal changes nothing: Ctrl-C
 * under `npm start` sends two, one of the terminal and one of npm, and Node would end the process at a signal without a
 * listener, in the middle of its requests and messages. `onFailure`: called when the server cannot be closed.
 */
export function closeOnSignal(server: { close(): Promise<void> }, onFailure: (error: unknown) => void): void {
  let isStopping = false
  const stop = () => {
    if (isStopping) return
    isStopping = true
    setTimeout(() => process.exit(0), closeTimeoutMs).unref()
    server.close().then(() => process.exit(0), onFailure)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
}
