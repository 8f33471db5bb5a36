/**
 * A real browser of one engine (Chromium, Firefox or WebKit) with one profile. Two files implement this type:
 * puppeteer-browser.ts with the protocols CDP and WebDriver BiDi, webkit-browser.ts with WebDriver.
 */
export type EngineBrowser = {
  /** Starts the browser on the same profile and shows an empty page. */
  start: () => Promise<EnginePage>
  /** Ends the browser and its child processes with SIGKILL. The profile stays for the next start. */
  kill: () => Promise<void>
  /** Ends the browser and deletes the profile. */
  close: () => Promise<void>
}

/** A browser whose profile a test can read. */
export type ProfileBrowser = EngineBrowser & {
  /** The folder of the profile. */
  profile: string
  /** Ends the browser as a person does, so that it writes its history and session. The profile stays. */
  quit: () => Promise<void>
}

/** The page that the browser shows. */
export type EnginePage = {
  /** The name and version that the running browser reports. */
  version: string
  open: (url: string) => Promise<void>
  /** Reloads the page. Does not throw when the load fails: then the browser shows its own error page. */
  reload: () => Promise<void>
  url: () => Promise<string>
  /** Evaluates a JavaScript expression in the page and returns its JSON value. */
  evaluate: (expression: string) => Promise<unknown>
  /** Clicks at a position, in CSS pixels from the top left corner of the viewport. */
  clickAt: (position: { x: number; y: number }) => Promise<void>
  /** Selects the text of the focused element and types this text over it. */
  replaceText: (text: string) => Promise<void>
  /** Returns a PNG of the viewport. */
  screenshot: () => Promise<Buffer>
  /** The uncaught errors and console errors since the start; always empty if the protocol does not report errors. */
  errors: () => string[]
}
