import type { DraftAccess } from './draft-access.ts'
import { nextStep, type Step } from './draft-reducer.ts'
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

  /** Runs steps until none can run now. A lock lets only one tab sync this draft at a time. */
  async function syncOne(id: string, options: SyncOptions): Promise<void> {
    await device.withLock(syncLockOf(id), async () => {
      while (isSignedIn()) {
        const currentId = await drafts.resolveId(id)
        if (currentId !== id) return syncOne(currentId, options)
        const step = await findStep(id, options)
        if (step.kind === 'idle') return
        if (step.kind === 'wait') return timers.set(id, step.until - device.now())
        if (!(await runStep(id, step, options))) return
      }
    })
  }

  async function findStep(id: string, { urgent }: SyncOptions): Promise<Step> {
    const opened = await drafts.open()
    return nextStep(await opened.read(id), {
      now: device.now(),
      urgent,
      refresh: refreshRequests.has(id),
      acceptsDrafts: (await parts.acceptsDrafts()) === true,
    })
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
