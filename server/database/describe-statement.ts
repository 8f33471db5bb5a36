import type { LogEvent } from 'kysely'

/**
 * `operation`: the first word of the statement. `table`: the word after the first `from`, `into` or `update`, so usually its
 * first table, but `now` after `extract(epoch from now())`; '' when there is none.
 */
export type EndedStatement = { operation: string; table: string; durationMs: number; hasFailed: boolean }

/** Describes a statement by words of its text, which does not have the values of its parameters. */
export function describeStatement({ level, query, queryDurationMillis }: LogEvent): EndedStatement {
  const text = query.sql.replace(/^\s*(?:\/\*.*?\*\/\s*)?/, '')
  const operation = /^[a-z]+/i.exec(text)?.[0]?.toLowerCase() ?? 'statement'
  const table = /\b(?:from|into|update) "?([a-z_]+)/i.exec(text)?.[1] ?? ''
  return { operation, table, durationMs: queryDurationMillis, hasFailed: level === 'error' }
}
