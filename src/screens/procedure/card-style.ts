import { type Destination, destinationOf } from '#contract/states.ts'
import type { MessageKey } from '#i18n/intl.ts'
import { isLocal } from '#sync/local-id.ts'
import type { SyncStatus } from '#sync/sync-status.ts'

type CardTone = 'success' | 'warning' | 'danger' | 'info'

/** Colour, destination and texts of a card, by the state of the application (LST03–LST06, S48). */
export type CardStyle = {
  tone: CardTone
  destination: Destination
  /** Label of the action; undefined when the card is not clickable. */
  actionKey: MessageKey | undefined
  /** Reminds applicants who have paid that they still need an appointment. */
  oneStepLeft: boolean
}

export function cardStyleOf(state: string, status?: SyncStatus): CardStyle {
  const next = destinationOf(state)
  // In a conflict the applicant first chooses between this device's answers and the server's, in the form (D32, D62).
  const destination = next === 'payment' && status?.kind === 'conflict' ? 'form' : next
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

/**
 * Returns the message about unsent answers: they wait to be sent, need the applicant before they can be sent
 * (`conflict`, `stuck`), cannot be read on this device, or are only in this page (`isOnlyInPage`). Otherwise undefined:
 * also for answers that are `saved` on this device (`SyncStatus`).
 */
export function unsentKey(
  status: SyncStatus,
  { id, currentState }: { id: string; currentState: string },
  isOnlyInPage: boolean,
): MessageKey | undefined {
  switch (status.kind) {
    case 'none':
    case 'not-saved':
    case 'sent':
      return undefined
    case 'saved':
      return isOnlyInPage ? 'procedure.onlyInPage' : undefined
    case 'unreadable':
      // The answers of a confirmed application are all on the server. A local one has none there.
      if (destinationOf(currentState) !== 'form') return undefined
      return isLocal(id) ? 'form.unreadable' : 'procedure.unreadable'
    case 'unsent':
    case 'sending':
    case 'waiting':
      if (isOnlyInPage) return 'form.notKeptRescue'
      return status.kind === 'waiting' ? 'form.waiting' : 'form.sending'
    case 'conflict':
      return isOnlyInPage ? 'procedure.onlyInPage' : 'form.choiceOpen'
    case 'stuck':
      return isOnlyInPage ? 'procedure.onlyInPage' : 'procedure.stuck'
  }
}
