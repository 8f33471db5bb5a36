/** Returns the number of hits that `tries` trials with probability `chance` do not exceed, with this confidence. */
export function binomialBound(tries: number, chance: number, confidence = 1 - 1e-9): number {
  // As a logarithm, because the probability of no hit may be too small for a number.
  let logTerm = tries * Math.log1p(-chance)
  let sum = Math.exp(logTerm)
  let count = 0
  while (sum < confidence && count < tries) {
    count += 1
    logTerm += Math.log((((tries - count + 1) / count) * chance) / (1 - chance))
    sum += Math.exp(logTerm)
  }
  return count
}
