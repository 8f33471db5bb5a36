/** Returns a function that runs work at once or, while earlier work runs, after it. The result is that of the work. */
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
