/**
 * Calls `report`, and not Vitest's own listener, for each promise that is rejected without a handler. On the applicant's
 * phone such a promise is an error that nothing catches. Returns the function that restores Vitest's listener.
 */
export function catchUncaught(report: (error: unknown) => void): () => void {
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', report)
  return () => {
    process.removeAllListeners('unhandledRejection')
    for (const other of others) process.on('unhandledRejection', other)
  }
}
