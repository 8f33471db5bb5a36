/**
 * Returns a function that runs work at once or, while earlier work runs, after that. The function resolves to the result
 * of its own work.
 */
export function createTurns(): <Result>(run: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> | undefined

  return async run => {
    const turn = last ? last.then(run, run) : run()
    last = turn
    try {
      return await turn
    } finally {
      if (last === turn) last = undefined
    }
  }
}
