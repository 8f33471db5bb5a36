import type { ApplicationId } from '#contract/ids.ts'
import type { Services } from '#portal/services.ts'

export type FormHolder = {
  state: () => 'mine' | 'elsewhere'
  subscribe: (listener: () => void) => () => void
  /** Goes on with the form in this tab. */
  take: () => void
  /** Follows the other tabs while the form is open. */
  start: (keeping: Keeping) => () => void
}

type Keeping = {
  /** Keeps what is typed, before another tab goes on with it. */
  flush: () => Promise<void>
  /** The form is this tab's again: what the other wrote comes in. */
  onTaken: () => void
}

/** How long another tab may take to keep its last key. */
const patience = 1_000

/** One tab of a device fills in a form; the one that was opened last goes on, the other shows it and can take it back. */
export function createHolder(device: Services['device'], appId: ApplicationId): FormHolder {
  const name = `form ${appId}`
  const listeners = new Set<() => void>()
  let state: ReturnType<FormHolder['state']> = 'mine'
  let letGo: () => void = nothing
  let taken: () => void = nothing
  let open = false

  function change(next: typeof state) {
    state = next
    for (const listener of listeners) listener()
  }

  async function take() {
    device.tellTabs({ kind: 'take-over', form: appId })
    const free = await device.hold(name, { patience, onLost: () => change('elsewhere') })
    // The form was left while another tab still had it.
    if (!open) return free()
    letGo = free
    if (state === 'mine') return
    change('mine')
    taken()
  }

  async function give(flush: () => Promise<void>) {
    if (state === 'elsewhere') return
    await flush()
    change('elsewhere')
    letGo()
  }

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    take: () => void take(),
    start({ flush, onTaken }) {
      taken = onTaken
      open = true
      void take()
      const stop = device.onTabs(message => {
        if (message.kind === 'take-over' && message.form === appId) void give(flush)
      })
      return () => {
        open = false
        stop()
        letGo()
      }
    },
  }
}

function nothing(): void {}
