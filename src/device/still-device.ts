import type { Device } from './device.ts'

/** No device at all: nothing is remembered, nothing happens, no time passes. The build paints pages on it. */
export function createStillDevice(): Device {
  return {
    now: () => 0,
    monotonic: () => 0,
    randomId: () => '',
    seemsOnline: () => true,
    savesData: () => false,
    hasAmpleLine: () => false,
    onConnection: never,
    onReturn: never,
    after: never,
    remember: () => undefined,
    recall: () => undefined,
    rememberHere: () => undefined,
    recallHere: () => undefined,
    onSmsCode: never,
    tellTabs: () => undefined,
    onTabs: never,
    alone: (_name, run) => run(),
    hold: async () => () => undefined,
    startWorker: refuse,
    download: () => undefined,
    copy: async () => false,
    canShareFiles: () => false,
    shareFile: async () => false,
    readsCodes: () => false,
    readCode: async () => undefined,
    printPages: async () => undefined,
    addressOf: path => path,
    installWay: () => undefined,
    onInstallWay: never,
    install: async () => false,
    persist: async () => false,
    scrollToTop: () => undefined,
    speak: () => undefined,
    painted: () => undefined,
    endPainted: () => undefined,
    takeFromAddress: () => ({}),
    wipe: async () => undefined,
    restart: () => undefined,
    leaveFor: () => undefined,
  }
}

function never(): () => void {
  return () => undefined
}

function refuse(): never {
  throw new Error('a page that is painted runs no workers')
}
