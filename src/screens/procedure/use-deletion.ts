import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { deleteApplicationFeature, mayDelete } from '#contract/states.ts'
import { type LoadedServices, useLoadedServices, useServerInfo } from '#app/services.ts'
import { isLocal } from '#sync/local-id.ts'
import { doNothing } from '#device/do-nothing.ts'
import type { Application } from './application-card.tsx'
import { createDeletion, type Deletion } from './deletion.ts'
import { isLocalApplication } from './local-applications.ts'
import { deleteOnServer, type DeletionOutcome, removeFromDevice } from './requested-deletions.ts'

/** Whether the card offers to delete the application (LST11). */
export function useMayDelete(application: Application): boolean {
  const { connectivity } = useLoadedServices()
  const server = useServerInfo()
  const isUnreachable = useSyncExternalStore(connectivity.subscribe, connectivity.isUnreachable)
  if (!mayDelete(application.currentState)) return false
  if (isLocalApplication(application)) return true
  return !isUnreachable && server.value?.features.includes(deleteApplicationFeature) === true
}

/**
 * The deletions of the list, one for each application. They outlive the cards, which are mounted again when the list
 * changes. When the applicant leaves the list or the page, or logs out, a deletion that could still be undone runs at once; a
 * reload by the portal undoes it (LST11, LST17).
 */
export function useDeletions(): (id: string) => Deletion {
  const services = useLoadedServices()
  const [deletions] = useState(() => createDeletions(services))
  const isShown = useRef(false)
  useEffect(() => {
    isShown.current = true
    const stopPendingWrites = services.pendingWrites.add(cause =>
      // A reload for a new release or a missing file must not delete an application (D36).
      cause === 'reload' ? deletions.cancel() : deletions.finishAtLogout(),
    )
    const leave = () => void deletions.finish()
    window.addEventListener('pagehide', leave)
    return () => {
      isShown.current = false
      stopPendingWrites()
      window.removeEventListener('pagehide', leave)
      // In development React ends each new effect once and starts it again at once: then the list has not been left.
      queueMicrotask(() => {
        if (!isShown.current) leave()
      })
    }
  }, [services, deletions])
  return deletions.of
}

function createDeletions(services: LoadedServices) {
  const byId = new Map<string, Deletion>()
  /** For the first id of each application: the id that its card shows. A press on Delete means this one. */
  const shownAs = new Map<string, string>()
  let hasFailedAtLogout = false

  async function finish() {
    await Promise.all([...byId.values()].map(deletion => deletion.finish()))
  }

  function create(id: string): Deletion {
    const request = createRequest(services, id)
    let pressedAs = id
    const deletion = createDeletion({
      after: (delayMs, run) => services.device.after(delayMs, run),
      onStart() {
        pressedAs = shownAs.get(id) ?? id
        request.add()
      },
      onUndo: request.remove,
      deleteNow: () => deleteApplication(services, pressedAs, request),
    })
    byId.set(id, deletion)
    return deletion
  }

  return {
    /** An application that the sync has created on the server keeps the deletion of its local id. */
    of: (id: string): Deletion => {
      const known = [...byId.keys()].find(each => services.sync.serverIdOf(each) === id) ?? id
      const startedAs = byId.has(id) ? id : known
      shownAs.set(startedAs, id)
      return byId.get(startedAs) ?? create(startedAs)
    },
    finish,
    /**
     * A log-out calls this function while it has the token, and again after the notice of its end: that notice must not
     * hide that a deletion has failed.
     */
    finishAtLogout: async () => {
      const isForeign = watchApplicant(services)
      const running = [...byId.values()].filter(deletion => isRunning(deletion.state()))
      await finish()
      if (isForeign()) return
      hasFailedAtLogout ||= running.some(deletion => deletion.state() === 'none')
      if (hasFailedAtLogout) services.notices.raise('warning', { key: 'procedure.notDeleted' })
    },
    /** Undoes what can still be undone, says so, and waits for the deletions that run. */
    cancel: async () => {
      const all = [...byId.values()]
      const undoable = all.filter(deletion => deletion.state() === 'undoable')
      for (const deletion of undoable) deletion.undo()
      if (undoable.length > 0) services.notices.raise('warning', { key: 'procedure.notDeleted' })
      await Promise.all(all.map(deletion => deletion.finish()))
    },
  }
}

function isRunning(state: ReturnType<Deletion['state']>): boolean {
  return state === 'undoable' || state === 'deleting'
}

type Request = { add: () => void; remove: () => void; saved: () => Promise<void> }

/**
 * Saves already at the press on Delete that the applicant wants the deletion: a page that is being closed has no time to
 * save this before its call (LST15).
 */
function createRequest(services: LoadedServices, id: string): Request {
  let saved: Promise<void> = Promise.resolve()
  function write(change: 'add' | 'remove') {
    saved = saved
      .then(async () => (await services.openStore()).deletionRequests[change](id))
      // If this write fails and the server's answer is lost, the draft stays here until the applicant deletes it.
      .catch(doNothing)
  }
  return { add: () => write('add'), remove: () => write('remove'), saved: () => saved }
}

/**
 * Deletes the application on the server, when it exists there, and then its draft and what is cached under its id here.
 * Resolves to false when it is not certain that the application is deleted, or another applicant has signed in: then the
 * device keeps its copy.
 */
async function deleteApplication(
  services: LoadedServices,
  pressedAs: string,
  request: Request,
): Promise<boolean> {
  const { notices, queries, queryClient, sync } = services
  const isForeign = watchApplicant(services)
  // The sync may have created the application on the server during the ten seconds, or may be doing so now.
  const known = await sync.resolveId(pressedAs)
  const { id, isRemoved } = isLocal(known) ? await sync.removeLocal(known) : { id: known, isRemoved: false }
  const isAnother = id !== pressedAs && (await hasJoinedAnother(sync, id))
  const askServer = () => (isAnother ? 'refused' : deleteOnServer(services, id))
  // The storage may be slow: nothing of this may be sent, removed or said in the session of the next applicant.
  const outcome = isLocal(id) || isForeign() ? outcomeHere(isRemoved) : await askServer()
  const isDeleted = outcome === 'deleted'
  if (outcome === 'refused') request.remove()
  await request.saved()
  // A later page of this applicant finishes the deletion (LST15, LST18).
  if (isForeign()) return false
  if (isDeleted) await removeFromDevice(services, id)
  else notices.raise('warning', { key: 'procedure.notDeleted' })
  await queryClient.invalidateQueries({ queryKey: queries.keyOf('applications') })
  return isDeleted
}

/** Returns a check that is true once another applicant is signed in, who must not learn of this deletion (D31). */
function watchApplicant({ session }: Pick<LoadedServices, 'session'>): () => boolean {
  const applicantId = session.signedInId()
  return () => session.signedInId() !== undefined && session.signedInId() !== applicantId
}

/**
 * Whether the server has returned an open application of the applicant instead of a new one: the applicant has not asked to
 * delete the answers that another device may have sent for it.
 */
async function hasJoinedAnother(
  { read }: Pick<LoadedServices['sync'], 'read'>,
  id: string,
): Promise<boolean> {
  const status = await read(id, { waitsForServer: false })
  return 'draft' in status && status.draft.hasJoined === true
}

/** A storage that has failed may still have an application that only this device knows (D74). */
function outcomeHere(isRemoved: boolean): DeletionOutcome {
  return isRemoved ? 'deleted' : 'unknown'
}
