/** One browser with one profile, driven as a person drives it. An adapter exists for each remote protocol. */
export type EngineBrowser = {
  /** Starts the browser on the same profile and shows an empty page. */
  start: () => Promise<EnginePage>
  /** Ends the browser and its child processes with SIGKILL. The profile stays. */
  kill: () => Promise<void>
  /** Ends the browser and deletes the profile. */
  close: () => Promise<void>
}

export type EnginePage = {
  /** The name and version that the running browser gives. */
  version: string
  open: (address: string) => Promise<void>
  /** Reloads the page. A failed load is no error: the page then shows what the browser shows. */
  reload: () => Promise<void>
  address: () => Promise<string>
  /** Runs an expression in the page and returns its value, which JSON can hold. */
  run: (expression: string) => Promise<unknown>
  /** A real click, in CSS pixels from the corner of the window. */
  clickAt: (place: { x: number; y: number }) => Promise<void>
  /** Types into the focused element, in place of its text. */
  replaceText: (text: string) => Promise<void>
  /** A PNG of the window. */
  picture: () => Promise<Buffer>
  /** Uncaught errors and console errors since the start, as far as the protocol tells them. */
  faults: () => string[]
}
