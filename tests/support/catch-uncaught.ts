/**
 * Reports each promise that fails without a listener, which is an error on the applicant's phone, in place of Vitest.
 * Returns the function that ends this.
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
