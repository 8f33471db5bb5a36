import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

const folder = 'server/integrations/simulators'
const entry = `#${folder}/demo-payers.ts`
const replacement = '\0left-out'

/**
 * Builds the server of an installation that takes money: its sources are without the folder of the simulated payment
 * providers, so nothing of them can be in the build.
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
