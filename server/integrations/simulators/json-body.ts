import type { SimulatorResponse } from './simulator.ts'

export function json(value: unknown, status = 200): SimulatorResponse {
  return { status, body: JSON.stringify(value), headers: { 'content-type': 'application/json' } }
}

export function readObject(body: string): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(body)
    return typeof read === 'object' && read !== null ? { ...read } : {}
  } catch {
    return {} // A body that is not JSON has no fields.
  }
}

export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
