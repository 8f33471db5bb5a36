import type { Configuration } from '#server/config/config.ts'
import { UnknownDataKeyError } from '#server/crypto/sealed-values.ts'
import { explainDatabaseFailure } from '#server/database/explain-failure.ts'
import { FolderLockedError } from '#server/database/folder-lock.ts'

/** Returns what the operator is told of an error that stopped a command. */
export function explainError(error: unknown, config: Configuration): string {
  if (error instanceof FolderLockedError)
    return `The server has the database in ${error.folder} open, or another command has it open. Stop the server first, or wait for the command. Start the server again afterwards.`
  if (error instanceof UnknownDataKeyError) return error.message
  const explained = explainDatabaseFailure(error, config)
  if (explained !== undefined) return explained
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
