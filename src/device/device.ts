/**
 * The functions of the browser and the phone. Code outside of this folder takes clocks, timers, the connection, saved texts
 * and other tabs from this interface, so that a test can advance the clock or cut the connection. That code reads
 * the address of the page, and uses the DOM and IndexedDB, without this interface.
 */
export type Device = {
  /**
   * Wall clock in milliseconds, for display and time stamps. It may be wrong by years, and may be set at any time: a
   * duration that only this clock measures can be wrong.
   */
  now(): number
  /** Milliseconds of a clock that never goes back. Many phones stop it while the device sleeps. */
  monotonic(): number
  randomId(): string
  /** False proves that the device is offline; true proves nothing (D34). */
  seemsOnline(): boolean
  /** Whether the applicant has switched on the data saver of the phone. */
  isDataSaverOn(): boolean
  onConnection(listener: (online: boolean) => void): Unsubscribe
  isPageVisible(): boolean
  /** Calls `listener` when the page becomes visible again or returns from the back-forward cache, and after its load. */
  onPageVisible(listener: () => void): Unsubscribe
  /** Calls `listener` when the page is hidden or left; not when the browser or the page crashes. */
  onPageHidden(listener: () => void): Unsubscribe
  /** Calls `listener` when the page returns from the back-forward cache: while there, it heard no message of other pages. */
  onPageRestored(listener: () => void): Unsubscribe
  after(milliseconds: number, run: () => void): Unsubscribe
  /** Saves a text under a key for all tabs in `localStorage`; undefined removes it. Ignored when storage is refused. */
  saveText(key: string, text: string | undefined): void
  readText(key: string): string | undefined
  /** Saves a text in `sessionStorage`: for this tab alone, until the tab is closed. */
  saveTabText(key: string, text: string | undefined): void
  readTabText(key: string): string | undefined
  /** Passes the one-time code of an SMS to `listener` if the browser supports WebOTP and the applicant agrees. */
  onSmsCode(listener: (code: string) => void): Unsubscribe
  /** Posts a message to the other tabs of this browser, not to this tab. */
  broadcast(message: TabMessage): void
  onBroadcast(listener: (message: TabMessage) => void): Unsubscribe
  /**
   * Runs `run` when no other tab and no other call in this tab holds the lock of this name. Without Web Locks, and
   * where the browser refuses them, runs it at once.
   */
  withLock<Result>(name: string, run: () => Promise<Result>): Promise<Result>
  /**
   * Whether this or another tab holds the lock of this name. A tab that ended holds none. False where the browser has no Web
   * Locks or refuses them.
   */
  isLockHeld(name: string): Promise<boolean>
  /**
   * Acquires a lock that only one tab can hold. If the holder does not release it within `timeoutMs`, takes it by
   * force. Calls `onLost` when another tab takes the lock by force. Resolves to the release function; without Web
   * Locks, and where the browser refuses them, at once, although other tabs may do the same.
   */
  acquireLock(name: string, options: { timeoutMs: number; onLost: () => void }): Promise<() => void>
  /** Starts a web worker with a script of the portal. @throws TypeError for another URL */
  startWorker(url: string): Worker
  download(file: Blob, name: string): void
  /** Copies a text to the clipboard. Resolves to false when the browser refuses. */
  copy(text: string): Promise<boolean>
  /** Whether the share sheet of this phone accepts files. */
  canShareFiles(): boolean
  /** Opens the share sheet. Resolves to false when the applicant cancels; rejects for any other failure. */
  shareFile(file: Blob, name: string): Promise<boolean>
  /** Whether this browser can find a QR code in a picture. */
  canReadQrCodes(): boolean
  /** Resolves to the text of the first QR code in a picture; undefined when none can be read. */
  readQrCode(picture: Blob): Promise<string | undefined>
  /**
   * Prints each picture on a page of its own. Resolves when the dialog has closed; if the dialog does not block the
   * page, after a minute at the latest. Rejects when a picture cannot be read.
   */
  printPages(pages: readonly Blob[]): Promise<void>
  /** Returns a path of the portal as an absolute URL for another device. */
  urlOf(path: string): string
  /** Undefined when the portal is installed already or cannot be installed. */
  installMethod(): InstallMethod | undefined
  onInstallMethod(listener: () => void): Unsubscribe
  /** Shows the browser's install prompt. Resolves to whether the applicant accepted. */
  install(): Promise<boolean>
  /** Asks the browser not to evict the storage of this origin. Resolves to its answer. */
  persistStorage(): Promise<boolean>
  /** Calls `listener` when the browser has voices, and again when it has others; never where it cannot speak. */
  onVoices(listener: () => void): Unsubscribe
  /** Loads the speech of this device. Call it only after `onVoices` has reported voices. */
  loadSpeech(): Promise<Speech>
  scrollToTop(): void
  /** Sets the language for screen readers, and for the next page that the server or the service worker sends. */
  setPageLanguage(language: string): void
  /** Returns what the applicant entered before hydration; undefined without such a control or after hydration. */
  readPrerendered(name: string): PrerenderedControl | undefined
  /** Ends the prerendered state of the page and replays what the applicant did before React had its listeners. */
  endPrerendered(): void
  /** Returns these query parameters of the address and removes them from it. */
  takeUrlParameters<Name extends string>(names: readonly Name[]): Partial<Record<Name, string>>
  /** Deletes texts, databases and caches except the files of the portal and what the options name. Cookies stay. */
  wipe(options: WipeOptions): Promise<void>
  /** Opens a page of the server outside the portal; Back returns to the portal. */
  navigateTo(path: string): void
  /** Loads the portal again at this address, which clears the memory of the page. */
  replacePage(address: string): void
}

/** Reads texts aloud with a voice of the device itself, so that speech uses no mobile data. */
export type Speech = {
  /** Whether the device has a voice of this language. */
  hasVoice(language: string): boolean
  /**
   * Speaks the sentences one after another, until `stop` or until the page is hidden, and then calls `onEnd`; at once when
   * there is nothing to speak or no voice. Call it in the handler of a click: browsers refuse to speak without one.
   */
  speak(sentences: readonly string[], options: { language: string; onEnd: () => void }): void
  stop(): void
}

/** `keysToKeep`: the keys of texts that stay. `keepsDrafts`: the database of the drafts stays too. */
export type WipeOptions = { keysToKeep: readonly string[]; keepsDrafts: boolean }

/** How this browser installs the portal: with a prompt, or by steps that the applicant takes in a menu. */
export type InstallMethod = 'prompt' | 'manual'

/** The state of a form control on a prerendered page. */
export type PrerenderedControl = {
  text: string
  ticked: boolean
  choices: { value: string; label: string; disabled: boolean }[]
}

export type Unsubscribe = () => void

export type TabMessage =
  | {
      kind: 'logged-out'
      /** The session that has ended, and its applicant; undefined from a tab that does not know them. */
      sessionId?: string | undefined
      applicantId?: string | undefined
      /** True when the deletion of the account was requested: each tab removes what it keeps (D112). Else undefined. */
      isDeleted?: boolean | undefined
      /** The applicant did nothing for too long; also true whenever `lock` is set. Undefined from an older release. */
      isInactivity?: boolean | undefined
      /**
       * On a shared device, when unsent drafts may stay. `locked`: only the next sign-in of their applicant opens them
       * (D31). `lock-failed`: the storage has not locked them in time, or the session has ended before that in another
       * way. Undefined when none stay.
       */
      lock?: 'locked' | 'lock-failed' | undefined
    }
  | { kind: 'language'; language: string }
  /**
   * The sending tab begins a sign-in, or has ended it without a pending log-out. A tab that sends a log-out or a token
   * refresh aborts this request: its response would delete or replace the cookie of the new session (S80).
   */
  | { kind: 'signing-in' }
  /** The sending tab wants to edit a form: the tab that has it open saves it and releases its lock (D32). */
  | { kind: 'take-over'; form: string }
  /** The applicant has deleted an application: a tab that has its form open must not save it again (LST13). */
  | { kind: 'deleted'; form: string }
