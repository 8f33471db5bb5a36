import { isApplicationState } from '#contract/states.ts'
import type { Translate } from './intl.ts'

/** An application's state in words (STA01–STA08); a state that nobody knows keeps its raw name (S48). */
export function stateText(t: Translate, state: string): string {
  return isApplicationState(state) ? t(`state.${state}`) : state
}
