import type { Device } from './device.ts'

/** Creates a device without clock, events or storage, for the build, which prerenders pages in Node.js. */
export function createNoopDevice(): Device {
  return {
    now: () => 0,
    monotonic: () => 0,
    randomId: () => '',
    seemsOnline: () => true,
    isDataSaverOn: () => false,
    onConnection: ignoreListener,
    isPageVisible: () => true,
    onPageVisible: ignoreListener,
    onPageHidden: ignoreListener,
    onPageRestored: ignoreListener,
    after: ignoreListener,
    saveText: () => undefined,
    readText: () => undefined,
    saveTabText: () => undefined,
    readTabText: () => undefined,
    onSmsCode: ignoreListener,
    broadcast: () => undefined,
    onBroadcast: ignoreListener,
    withLock: (_name, run) => run(),
    isLockHeld: async () => false,
    acquireLock: async () => () => undefined,
    startWorker: throwNoWebWorker,
    download: () => undefined,
    copy: async () => false,
    canShareFiles: () => false,
    shareFile: async () => false,
    canReadQrCodes: () => false,
    readQrCode: async () => undefined,
    printPages: async () => undefined,
    urlOf: path => path,
    installMethod: () => undefined,
    onInstallMethod: ignoreListener,
    install: async () => false,
    persistStorage: async () => false,
    onVoices: ignoreListener,
    loadSpeech: async () => ({ hasVoice: () => false, speak: () => undefined, stop: () => undefined }),
    scrollToTop: () => undefined,
    setPageLanguage: () => undefined,
    readPrerendered: () => undefined,
    endPrerendered: () => undefined,
    takeUrlParameters: () => ({}),
    wipe: async () => undefined,
    replacePage: () => undefined,
    navigateTo: () => undefined,
  }
}

/** Registers nothing: no event occurs while a page is prerendered. Returns a function that does nothing. */
function ignoreListener(): () => void {
  return () => undefined
}

function throwNoWebWorker(): never {
  throw new Error('A prerendered page cannot start a web worker')
}
