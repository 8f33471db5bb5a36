/**
 * What the machine gives. Everything else is written against this interface, so that a test can wind the
 * clock or cut the line without the code knowing.
 */
export type Device = {
  /** Wall clock, milliseconds. It may be off by years: for showing and for stamps, never for lifetimes. */
  now(): number
  /** Milliseconds that only ever grow, and count while the tab sleeps where the browser can. */
  monotonic(): number
  randomId(): string
  /** False is surely offline; true means nothing (D34). */
  seemsOnline(): boolean
  /** The applicant asked the phone to be sparing with data. */
  savesData(): boolean
  /** The browser knows of a good line, and nobody asked to be sparing: a megabyte may be fetched ahead. */
  hasFastConnection(): boolean
  onConnection(listener: (online: boolean) => void): Unsubscribe
  /** The page is seen again, or comes back out of the back-forward cache. */
  onPageVisible(listener: () => void): Unsubscribe
  after(milliseconds: number, run: () => void): Unsubscribe
  /** One small text a key, shared by all tabs and kept across restarts; undefined when storage is refused. */
  saveText(key: string, text: string | undefined): void
  readText(key: string): string | undefined
  /** As `remember` and `recall`, for this tab alone and until it is closed. */
  saveTabText(key: string, text: string | undefined): void
  readTabText(key: string): string | undefined
  /** The one-time code out of an arriving SMS, where the browser can read one and the applicant agrees. */
  onSmsCode(listener: (code: string) => void): Unsubscribe
  /** Tells the other tabs of this device; it does not hear itself. */
  broadcast(message: TabMessage): void
  onBroadcast(listener: (message: TabMessage) => void): Unsubscribe
  /** Runs when no other tab runs under the same name. */
  withLock<Result>(name: string, run: () => Promise<Result>): Promise<Result>
  /**
   * Holds a name alone among the tabs of this device: once its holder lets go, and after `patience` milliseconds
   * all the same. `onLost` is told when another tab took it so. Gives the way to let go.
   */
  acquireLock(name: string, options: { timeoutMs: number; onLost: () => void }): Promise<() => void>
  /** Starts a script of ours beside the page. */
  startWorker(url: string): Worker
  download(file: Blob, name: string): void
  /** Puts a text where it can be pasted from; whether the browser let it. */
  copy(text: string): Promise<boolean>
  /** Whether a file can be handed to another app of this phone. */
  canShareFiles(): boolean
  /** Hands it over by the phone's own sheet; false when the applicant thought better of it. */
  shareFile(file: Blob, name: string): Promise<boolean>
  /** Whether this browser finds a QR code in a picture. */
  canReadQrCodes(): boolean
  readQrCode(picture: Blob): Promise<string | undefined>
  /** Prints these pictures, a page each, and nothing else; settles when the browser has let go of them. */
  printPages(pages: readonly Blob[]): Promise<void>
  /** A path of the portal as an address that another device can open. */
  urlOf(path: string): string
  /** Undefined where it is installed already, or cannot be. */
  installMethod(): InstallMethod | undefined
  onInstallMethod(listener: () => void): Unsubscribe
  /** Shows the browser's own question; whether the applicant said yes. */
  install(): Promise<boolean>
  /** Asks the browser not to clear this origin's storage by itself. */
  persistStorage(): Promise<boolean>
  scrollToTop(): void
  /** The page's language, for who reads it out and for the next page that the server or the worker sends. */
  setPageLanguage(language: string): void
  /** What the applicant did before the script came; undefined where there is no such control, or it is taken over. */
  readPrerendered(name: string): PrerenderedControl | undefined
  /** From here on every control answers: what was done to one meanwhile is told to it. */
  endPrerendered(): void
  /** What the address says after `?` under these names, which it then says no longer. */
  takeUrlParameters<Name extends string>(names: readonly Name[]): Partial<Record<Name, string>>
  /** Deletes all that was stored here, but the portal's own files and the remembered texts under these keys. */
  wipe(keep: readonly string[]): Promise<void>
  /** Leaves the portal for a page of the server's own; Back leads here again. */
  navigateTo(path: string): void
  /** Opens the portal anew: nothing that this page held in memory goes along. */
  replacePage(address: string): void
}

/** How this browser puts the portal on the home screen: by its own question, or by the applicant's hand. */
export type InstallMethod = 'ask' | 'by-hand'

/** A control of a page that was complete before its script. */
export type PrerenderedControl = {
  text: string
  ticked: boolean
  choices: { value: string; label: string }[]
}

export type Unsubscribe = () => void

export type TabMessage =
  | { kind: 'logged-out' }
  | { kind: 'language'; language: string }
  /** This tab wants to go on with a form: whoever has it open keeps what is typed and lets go (D32). */
  | { kind: 'take-over'; form: string }
