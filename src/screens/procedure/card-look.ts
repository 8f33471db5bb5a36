import { type Destination, destinationOf } from '#contract/states.ts'
import type { MessageKey } from '#i18n/intl.ts'

export type CardTone = 'success' | 'warning' | 'danger' | 'info'

/** What a card says and does in its state (LST03–LST06, S48). */
export type CardLook = {
  tone: CardTone
  destination: Destination
  /** The words of its action; none where it cannot be clicked. */
  actionKey: MessageKey | undefined
  /** A payment receipt is not an appointment: said where it is forgotten. */
  oneStepLeft: boolean
}

export function lookOf(state: string): CardLook {
  const destination = destinationOf(state)
  return {
    tone: toneOf(state, destination),
    destination,
    actionKey: destination === 'none' ? undefined : `procedure.open.${destination}`,
    oneStepLeft: state === 'PAYMENT_DONE',
  }
}

function toneOf(state: string, destination: Destination): CardTone {
  if (state === 'FAILED') return 'danger'
  if (destination === 'none') return 'info'
  return destination === 'final' ? 'success' : 'warning'
}
