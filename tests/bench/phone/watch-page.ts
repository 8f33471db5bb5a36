/**
 * What the page did. `timer` and `frame`: a function that ran later, `frame` also for an idle callback. `write`: a
 * transaction of IndexedDB that may write, or `setItem` of a storage.
 */
export type PageWork = { kind: 'timer' | 'frame' | 'write'; what: string }

declare global {
  /** `watchPage` adds this function to the page. It returns what the page has done since the last call. */
  var takePageWork: () => PageWork[]
}

/**
 * Runs in each page before the code of the page, in Chromium 106 or newer. It is sent as text, so its functions may not
 * use imports.
 */
export const pageWatch = `(() => { ${String(callers)}\n${String(watchPage)}\nwatchPage() })()`

/** Returns up to three positions in the portal's files from which the call came. */
function callers(): string {
  const places = String(new Error('here').stack).match(/\/assets\/[^?)\s]+/g) || []
  return places
    .slice(0, 3)
    .map(place => place.replace('/assets/', ''))
    .join(' < ')
}

function watchPage(): void {
  let done: PageWork[] = []
  const note = (kind: PageWork['kind'], what: string) => void done.push({ kind, what })
  globalThis.takePageWork = () => {
    const taken = done
    done = []
    return taken
  }

  type Later = (run: (...values: unknown[]) => void, ...rest: unknown[]) => unknown
  const watchLater = (name: string, kind: PageWork['kind']) => {
    const all = globalThis as unknown as Record<string, Later | undefined> // the four functions named below are of this type
    const original = all[name]
    if (!original) return
    all[name] = (run, ...rest) => {
      const from = callers()
      const noted = (...values: unknown[]) => {
        note(kind, `${name}(${typeof rest[0] === 'number' ? rest[0] : ''}) ${from}`)
        run(...values)
      }
      return original.call(globalThis, noted, ...rest)
    }
  }
  for (const name of ['setTimeout', 'setInterval']) watchLater(name, 'timer')
  for (const name of ['requestAnimationFrame', 'requestIdleCallback']) watchLater(name, 'frame')

  // eslint-disable-next-line typescript/unbound-method -- called with its receiver below
  const openTransaction = IDBDatabase.prototype.transaction
  IDBDatabase.prototype.transaction = function transaction(stores, mode, options) {
    if (mode === 'readwrite')
      note(
        'write',
        `IndexedDB ${typeof stores === 'string' ? stores : Array.from(stores).join()} ${callers()}`,
      )
    return openTransaction.call(this, stores, mode, options)
  }
  // eslint-disable-next-line typescript/unbound-method -- called with its receiver below
  const setItem = Storage.prototype.setItem
  Storage.prototype.setItem = function save(key, value) {
    note('write', `Storage ${key} ${callers()}`)
    setItem.call(this, key, value)
  }
}
