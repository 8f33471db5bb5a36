import { isApplicationState } from '#contract/states.ts'
import type { Translate } from './intl.ts'

/** Returns the text of an application's state (STA01–STA08); an unknown state keeps its raw name (S48). */
export function stateText(t: Translate, state: string): string {
  return isApplicationState(state) ? t(`state.${state}`) : state
}
