import { isApplicationState } from '#contract/states.ts'

/** Returns the newest other application whose answers were confirmed; undefined without one. `listed`: newest first. */
export function findEarlier<Listed extends { id: string; currentState: string }>(
  listed: readonly Listed[],
  currentId: string,
): Listed | undefined {
  return listed.find(
    ({ id, currentState: state }) =>
      id !== currentId && isApplicationState(state) && state !== 'NEW' && state !== 'DELETED',
  )
}
