import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject } from 'vitest'
import { joinPortal, type OpenPortal } from './portal.ts'

/**
 * The portal of all test files without own settings, because starting a server costs seconds of CPU time.
 *
 * @throws from `codeFor` when another test file uses the same contact: both would change the data of one applicant.
 */
export function joinSharedPortal(): OpenPortal {
  const portal = joinPortal(inject('sharedPortal'))
  return {
    ...portal,
    codeFor(contact) {
      claimContact(portal.dataDir, contact)
      return portal.codeFor(contact)
    },
  }
}

function claimContact(dataDir: string, contact: string): void {
  const folder = join(dataDir, 'claimed-contacts')
  const file = join(folder, encodeURIComponent(contact))
  const claimant = expect.getState().testPath ?? ''
  mkdirSync(folder, { recursive: true })
  try {
    writeFileSync(file, claimant, { flag: 'wx' })
  } catch {
    const owner = readFileSync(file, 'utf8')
    if (owner !== claimant) throw new Error(`${contact} belongs to ${owner}: give this test another contact`)
  }
}
