import type { FormValues } from '#contract/application.ts'
import type { ApplicationId, ApplicationNumber } from '#contract/ids.ts'
import type { Call } from '#api/client.ts'
import type { Device } from '#device/device.ts'
import type { Session } from '#session/session.ts'
import type { Drafts } from '#store/drafts.ts'
import type { Connectivity } from './connectivity.ts'

export type SyncEvent =
  /**
   * The server has created the application of a draft with a local id, or had it before. The draft has moved to the
   * server's id.
   */
  | { kind: 'created'; localId: string; applicationId: ApplicationId; applicationNumber: ApplicationNumber }
  /**
   * A draft has moved to the server's id, perhaps in another tab: the list of the server may have a new application.
   */
  | { kind: 'moved' }
  | { kind: 'sent'; applicationId: string; complete: boolean }
  /** The server refused a Submit that had waited on this device (S89). */
  | { kind: 'not-accepted'; applicationId: string }
  /** The server's copy has replaced unsent changes of this device (S93). */
  | { kind: 'replaced'; applicationId: string }
  /** The server was restored from a backup, and the draft has other answers than the server's form (D62). */
  | { kind: 'lost-by-server'; applicationId: string }
  /** This tab has deleted the draft of the application for good, or has failed to: its form must close (LST13). */
  | { kind: 'removed'; applicationId: string }

export type SyncParts = {
  device: Pick<Device, 'now' | 'after' | 'withLock' | 'randomId' | 'onPageVisible' | 'broadcast'>
  /** From 0 up to 1, without 1. */
  random: () => number
  openDrafts: () => Promise<Drafts>
  call: Call
  session: Pick<Session, 'state' | 'subscribe' | 'token' | 'watchEnd'>
  connectivity: Pick<Connectivity, 'isUnreachable' | 'subscribe'>
  /** Whether the server accepts incomplete forms; undefined while the device does not know. */
  acceptsDrafts: () => Promise<boolean | undefined>
  /** The epoch of the server (D62); undefined while the device does not know it. */
  serverEpoch: () => Promise<string | undefined>
  /** The digest of a form and its version, as the server computes it (D61). */
  digestOfForm: (values: FormValues, version: number) => Promise<string>
  onEvent: (event: SyncEvent) => void
  /** Called with the applications of which only this page has answers. */
  setOnlyInPage: (applicationIds: readonly string[]) => void
}

export type SyncOptions = {
  /** Ignores the backoff: an applicant waits or has signed in, or the connection or the page is back. */
  urgent: boolean
  /** The applicant asked for this sync and sees its failures (S29). */
  announceFailures: boolean
}

export const inBackground: SyncOptions = { urgent: false, announceFailures: false }
export const urgently: SyncOptions = { urgent: true, announceFailures: false }
