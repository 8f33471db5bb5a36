/**
 * Resolves to the result of the work, or to undefined after `timeoutMs`: then the work continues, and its error is
 * ignored.
 */
export async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), timeoutMs)
  })
  try {
    return await Promise.race([work, over])
  } finally {
    clearTimeout(timer)
  }
}
