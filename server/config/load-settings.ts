import { existsSync } from 'node:fs'
import { assetPath } from './asset-path.ts'
import { errorCodeOf } from '#server/database/retry.ts'

/** Loads the file .env into the environment, if there is one. Returns what is wrong with it when it cannot be read. */
export function loadSettings(): string | undefined {
  const path = assetPath('.env')
  try {
    if (existsSync(path)) process.loadEnvFile(path)
    return undefined
  } catch (error) {
    return `The file of the settings, ${path}, cannot be read (${String(errorCodeOf(error))}). Give this user the right to read it, or remove it.`
  }
}
