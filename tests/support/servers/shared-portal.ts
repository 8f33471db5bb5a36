import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject } from 'vitest'
import { joinPortal, type OpenPortal } from './portal.ts'

/**
 * Returns the one portal that all test files share unless they need their own settings, because starting a server costs
 * seconds of CPU time.
 *
 * @throws from `codeFor` when another test file has used the same contact: both would change the data of one applicant.
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
  const testFile = expect.getState().testPath ?? ''
  mkdirSync(folder, { recursive: true })
  try {
    writeFileSync(file, testFile, { flag: 'wx' })
  } catch {
    const owner = readFileSync(file, 'utf8')
    if (owner !== testFile) throw new Error(`${contact} belongs to ${owner}: give this test another contact`)
  }
}
