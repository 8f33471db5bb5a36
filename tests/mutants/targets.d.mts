/** The files that the run changes, and the tests that must notice each change. */
export const targets: readonly {
  path: string
  why: string
  tests: string[]
  without?: string[]
  only?: string[]
  database?: boolean
  names?: string
}[]
