/** Returns the number of hits that `tries` trials with probability `chance` do not exceed, with this confidence. */
export function binomialBound(tries: number, chance: number, confidence = 1 - 1e-9): number {
  let term = Math.exp(tries * Math.log1p(-chance))
  let sum = term
  let count = 0
  while (sum < confidence) {
    count += 1
    term *= (((tries - count + 1) / count) * chance) / (1 - chance)
    sum += term
  }
  return count
}
