import { variableNames } from './config.ts'

/** Variables with these first words are also read by packages (OpenTelemetry) and by the build (Vite). */
const sharedWords: readonly string[] = ['OTEL', 'VITE']
/** Many desktops set the variable of the session manager of X11. */
const foreignNames: readonly string[] = ['SESSION_MANAGER']
/** Kubernetes, and Docker for linked containers, set such variables: DATABASE_SERVICE_HOST for a service `database`. */
const serviceLink = /_SERVICE_(?:HOST|PORT)|_PORT_\d+_(?:TCP|UDP)/
const serviceAddress = /^(?:tcp|udp):\/\//

/**
 * Returns a sentence for each variable that no setting reads and that looks like a setting: its name is nearly the name of
 * a setting, or begins with the same word. A misspelt setting would otherwise be silently at its default (D2).
 */
export function describeUnread(env: Record<string, string | undefined>): string[] {
  const known = variableNames()
  return Object.entries(env)
    .filter(([name, value = '']) => !known.includes(name) && value.trim() !== '' && !isForeign(name, value))
    .flatMap(([name]) => {
      const hint = hintOf(name.toUpperCase(), known)
      return hint === undefined ? [] : [`${name} is not read, because no setting has this name: ${hint}`]
    })
}

function isForeign(name: string, value: string): boolean {
  return foreignNames.includes(name) || serviceLink.test(name) || serviceAddress.test(value)
}

function hintOf(name: string, known: readonly string[]): string | undefined {
  const nearest = known
    .map(each => ({ each, typos: countTypos(name, each) }))
    .filter(({ each, typos }) => typos <= mostTypos(each))
    .toSorted((one, other) => one.typos - other.typos)[0]
  if (nearest) return `${nearest.each} is probably meant. Correct it.`
  const word = firstWordOf(name)
  const alike = known.filter(each => word !== undefined && firstWordOf(each) === word)
  return alike.length === 0
    ? undefined
    : `the settings that begin with the same word are ${alike.join(', ')}. Correct it, or remove it if no other program needs it.`
}

/** Other programs have short names that differ from those of settings in two letters, such as HOST from PORT. */
function mostTypos(name: string): number {
  return name.length > 9 ? 2 : 1
}

/** Undefined for a name of one word, and for a word that others use too. */
function firstWordOf(name: string): string | undefined {
  const [word = '', ...more] = name.split('_')
  return more.length === 0 || sharedWords.includes(word) ? undefined : word
}

/** Counts the letters to add, to leave out, to replace or to swap with the next one (Damerau and Levenshtein). */
function countTypos(typed: string, meant: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: meant.length + 1 }, (_, index) => index)
  for (let row = 1; row <= typed.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= meant.length; column += 1) {
      const isSame = typed[row - 1] === meant[column - 1]
      const isSwap = typed[row - 1] === meant[column - 2] && typed[row - 2] === meant[column - 1]
      current[column] = Math.min(
        costAt(last, column) + 1,
        costAt(current, column - 1) + 1,
        costAt(last, column - 1) + (isSame ? 0 : 1),
        isSwap ? costAt(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = current
  }
  return costAt(last, meant.length)
}

function costAt(costs: readonly number[], column: number): number {
  return costs[column] ?? Number.POSITIVE_INFINITY
}
