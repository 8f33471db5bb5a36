/** One browser with one profile. There is one adapter for each remote protocol. */
export type EngineBrowser = {
  /** Starts the browser on the same profile and shows an empty page. */
  start: () => Promise<EnginePage>
  /** Ends the browser and its child processes with SIGKILL; keeps the profile. */
  kill: () => Promise<void>
  /** Ends the browser and deletes the profile. */
  close: () => Promise<void>
}

export type EnginePage = {
  /** The name and version that the running browser reports. */
  version: string
  open: (address: string) => Promise<void>
  /** Reloads the page. A failed load is no error; the page then shows the browser's error page. */
  reload: () => Promise<void>
  address: () => Promise<string>
  /** Evaluates an expression in the page and returns its JSON value. */
  run: (expression: string) => Promise<unknown>
  /** Clicks at a position in CSS pixels from the corner of the window. */
  clickAt: (place: { x: number; y: number }) => Promise<void>
  /** Replaces the text of the focused element by typing. */
  replaceText: (text: string) => Promise<void>
  /** A PNG of the window. */
  picture: () => Promise<Buffer>
  /** The uncaught errors and console errors since the start, as far as the protocol reports them. */
  faults: () => string[]
}
