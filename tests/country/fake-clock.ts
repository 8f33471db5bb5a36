import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file from which libfaketime reads how far the clock of a running process is off. */
export type ClockFile = {
  path: string
  environment(library: string): Record<string, string>
  remove(): void
}

export function createClockFile(): ClockFile {
  const folder = mkdtempSync(join(tmpdir(), 'clock-'))
  const path = join(folder, 'offset')
  writeFileSync(path, '+0')
  return {
    path,
    environment: library => ({
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: path,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** `offset`: seconds with a sign, such as `+3600`. The process sees it within a second. */
export function setClock({ path }: ClockFile, offset: string): void {
  writeFileSync(path, offset)
}
