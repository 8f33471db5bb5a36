import { type Destination, destinationOf } from '#contract/states.ts'
import type { MessageKey } from '#i18n/intl.ts'
import type { SyncStatus } from '#sync/sync-status.ts'

export type CardTone = 'success' | 'warning' | 'danger' | 'info'

/** What a card says and does in its state (LST03–LST06, S48). */
export type CardStyle = {
  tone: CardTone
  destination: Destination
  /** The words of its action; none where it cannot be clicked. */
  actionKey: MessageKey | undefined
  /** A payment receipt is not an appointment: said where it is forgotten. */
  oneStepLeft: boolean
}

export function cardStyleOf(state: string): CardStyle {
  const destination = destinationOf(state)
  return {
    tone: toneOf(state, destination),
    destination,
    actionKey: destination === 'none' ? undefined : `procedure.open.${destination}`,
    oneStepLeft: destination === 'appointment',
  }
}

function toneOf(state: string, destination: Destination): CardTone {
  if (state === 'FAILED') return 'danger'
  if (destination === 'none') return 'info'
  return destination === 'final' ? 'success' : 'warning'
}

/** What the applicant is told of answers that the server does not have, and why. */
export function unsentKey(status: SyncStatus): MessageKey | undefined {
  switch (status.kind) {
    case 'none':
    case 'not-kept':
    case 'kept':
    case 'sent':
      return undefined
    case 'unsent':
    case 'sending':
      return 'form.sending'
    case 'waiting':
      return 'form.waiting'
    case 'choice':
      return 'form.choiceOpen'
    case 'stuck':
      return 'procedure.stuck'
  }
}
