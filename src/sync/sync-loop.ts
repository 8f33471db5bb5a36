import type { DraftAccess } from './draft-access.ts'
import { nextStep, type Step } from './next-step.ts'
import type { Draft } from '#store/draft.ts'
import { inBackground, type SyncOptions, type SyncParts } from './sync-parts.ts'
import type { StepRunner } from './step-runner.ts'
import type { SyncTimers } from './sync-timers.ts'

export type SyncLoop = {
  syncOne: (id: string, options: SyncOptions) => Promise<void>
  syncAll: (options: { urgent: boolean }) => Promise<void>
}

type Parts = {
  parts: SyncParts
  drafts: DraftAccess
  timers: SyncTimers
  refreshRequests: Set<string>
  runStep: StepRunner
}

export function createSyncLoop({ parts, drafts, timers, refreshRequests, runStep }: Parts): SyncLoop {
  const { device, session } = parts
  const isSignedIn = () => session.state().kind === 'signed-in'
  /** One text per read that was requested: the application, the version of the draft's base, and the server's epoch. */
  const compared = new Set<string>()

  /** Runs steps until none can run now. A lock lets only one tab sync this draft at a time. */
  async function syncOne(id: string, options: SyncOptions): Promise<void> {
    await device.withLock(syncLockOf(id), async () => {
      while (isSignedIn()) {
        const hasEnded = session.watchEnd()
        const currentId = await drafts.resolveId(id)
        if (currentId !== id) return syncOne(currentId, options)
        const step = await findStep(id, options)
        // Another applicant may have signed in since: a call for this draft must not be sent in their session (D31).
        if (hasEnded() || step.kind === 'idle') return
        if (step.kind === 'wait') return timers.set(id, step.until - device.now())
        if (!(await runStep(id, step, options))) return
      }
    })
  }

  async function findStep(id: string, { urgent }: SyncOptions): Promise<Step> {
    const opened = await drafts.open()
    const draft = await opened.read(id)
    await requestReadAfterRestore(id, draft)
    return nextStep(draft, {
      now: device.now(),
      urgent,
      refresh: refreshRequests.has(id),
      acceptsDrafts: (await parts.acceptsDrafts()) === true,
    })
  }

  /**
   * If the server was restored from a backup after it had the base of this draft, requests one read of what it has now
   * (D62). Requests none while the applicant has to choose between the answers of this device and `theirs`: the server
   * may have lost answers of `theirs`, and the merge with its open form would keep `theirs` (`mergeServerData`).
   */
  async function requestReadAfterRestore(id: string, draft: Draft | undefined): Promise<void> {
    const known = draft?.theirs ? undefined : draft?.base
    const epoch = known?.epoch === undefined ? undefined : await parts.serverEpoch()
    const comparison = `${id} ${known?.version} ${epoch}`
    if (epoch === undefined || epoch === known?.epoch || compared.has(comparison)) return
    compared.add(comparison)
    refreshRequests.add(id)
  }

  async function syncAll({ urgent }: { urgent: boolean }) {
    if (!isSignedIn()) return
    const opened = await drafts.openIfPossible()
    const waiting = (await opened?.all()) ?? []
    await Promise.all(waiting.map(({ applicationId }) => syncOne(applicationId, { ...inBackground, urgent })))
  }

  return { syncOne, syncAll }
}

/** The lock that a tab holds while it syncs this draft. */
export function syncLockOf(id: string): string {
  return `carry ${id}`
}
