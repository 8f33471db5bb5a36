import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

const folder = 'server/integrations/simulators'
const entry = `#${folder}/demo-payers.ts`
const replacement = '\0left-out'

/**
 * Lets the build succeed when the folder of the simulated payment providers was deleted: an installation that takes
 * money deletes it first (docs/deploy.md).
 */
export function leaveOutSimulators(): Plugin {
  let isLeftOut = false
  return {
    name: 'leave-out-simulators',
    enforce: 'pre',
    configResolved(config) {
      isLeftOut = !existsSync(join(config.root, folder))
    },
    resolveId: source => (isLeftOut && source === entry ? replacement : undefined),
    load: id =>
      id === replacement
        ? `export function startDemoSimulators() { throw Object.assign(new Error('No simulators'), { code: 'NO_SIMULATORS' }) }`
        : undefined,
  }
}
