import { parseJson } from '#contract/parse-json.ts'
import type { SimulatorResponse } from './simulator.ts'

export function json(value: unknown, status = 200): SimulatorResponse {
  return { status, body: JSON.stringify(value), headers: { 'content-type': 'application/json' } }
}

/** Returns the fields of a JSON object, or the elements of a JSON array by index; none when the body is neither. */
export function readObject(body: string): Record<string, unknown> {
  const read = parseJson(body)
  return typeof read === 'object' && read !== null ? { ...read } : {}
}

export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
