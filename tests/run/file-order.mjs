import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BaseSequencer } from 'vitest/node'

/** Test files that take 15 s or more. Each starts early, so that no worker runs one at the end while the others wait. */
const slowFiles = [
  'tests/store/simulator.test.ts',
  'tests/server/account/dormant-account.test.ts',
  'tests/server/http/one-transaction.test.ts',
  'tests/server/http/network-limits.test.ts',
  'tests/server/session/code-guesses.test.ts',
  'tests/server/http/main-thread.test.ts',
  'tests/server/behind-nginx.test.ts',
  'tests/server/payments/provider-matrix.test.ts',
  'tests/sync/simulator.test.ts',
  'tests/journeys/offline-start.test.ts',
  'tests/journeys/sign-in.test.ts',
  'tests/journeys/untrue-answers.test.ts',
  'tests/journeys/shared-device.test.ts',
  'tests/journeys/form-network-faults.test.ts',
  'tests/journeys/appointment.test.ts',
  'tests/journeys/payment-kills.test.ts',
]

/**
 * The order of the test files. The files of a project with the same environment follow each other, because Vitest ends a
 * worker when the next file needs another environment, and the next worker imports everything again.
 */
export class FileOrder extends BaseSequencer {
  async sort(files) {
    const { root } = this.ctx.config
    const missing = slowFiles.filter(file => !existsSync(join(root, file)))
    if (missing.length > 0) throw new Error(`slowFiles names files that do not exist: ${missing.join(', ')}`)
    // Vitest sorts by project. Within a project larger files are first, or after a run the files that failed, then slower ones.
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project))]
    const keys = new Map(
      sorted.map(file => [
        file,
        [projects.indexOf(file.project), needsPage(file) ? 0 : 1, isSlow(file, root) ? 0 : 1],
      ]),
    )
    // A stable sort: equal keys keep the order from above.
    return sorted.toSorted((one, other) => compareKeys(keys.get(one), keys.get(other)))
  }
}

/** Whether the file names happy-dom as its environment. */
function needsPage({ moduleId }) {
  return readFileSync(moduleId, 'utf8').includes('@vitest-environment happy-dom')
}

function isSlow({ moduleId }, root) {
  return slowFiles.some(file => join(root, file) === moduleId)
}

function compareKeys(one, other) {
  const index = one.findIndex((key, position) => key !== other[position])
  return index === -1 ? 0 : one[index] - other[index]
}
