import type { Problem } from '#api/result.ts'

export type Refused = Extract<Problem, { kind: 'refused' }>

/** A call that the server refuses with status 400 and without a reason, except for what `rest` says. */
export function refusedProblem(rest: Partial<Refused> = {}): Refused {
  return {
    kind: 'refused',
    status: 400,
    statusCode: 400,
    message: undefined,
    errors: [],
    data: undefined,
    ...rest,
  }
}
