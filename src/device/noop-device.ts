import type { Device } from './device.ts'

/** Creates a device without effects, time or storage. The build prerenders pages with it. */
export function createNoopDevice(): Device {
  return {
    now: () => 0,
    monotonic: () => 0,
    randomId: () => '',
    seemsOnline: () => true,
    savesData: () => false,
    hasFastConnection: () => false,
    onConnection: never,
    onPageVisible: never,
    after: never,
    saveText: () => undefined,
    readText: () => undefined,
    saveTabText: () => undefined,
    readTabText: () => undefined,
    onSmsCode: never,
    broadcast: () => undefined,
    onBroadcast: never,
    withLock: (_name, run) => run(),
    acquireLock: async () => () => undefined,
    startWorker: refuse,
    download: () => undefined,
    copy: async () => false,
    canShareFiles: () => false,
    shareFile: async () => false,
    canReadQrCodes: () => false,
    readQrCode: async () => undefined,
    printPages: async () => undefined,
    urlOf: path => path,
    installMethod: () => undefined,
    onInstallMethod: never,
    install: async () => false,
    persistStorage: async () => false,
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

function never(): () => void {
  return () => undefined
}

function refuse(): never {
  throw new Error('A prerendered page cannot start a worker')
}
