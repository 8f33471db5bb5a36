/** What is left of a reservation: whole minutes, `briefly` for less than one; `none` where nothing is held. */
export type HoldState =
  | { kind: 'none' }
  | { kind: 'minutes'; minutes: number }
  | { kind: 'briefly' }
  | { kind: 'over' }

/** `holdSeconds` as the server said it, `elapsed` milliseconds ago by the device's own count. */
export function holdStateAt(holdSeconds: number | null | undefined, elapsed: number): HoldState {
  if (holdSeconds === null || holdSeconds === undefined) return { kind: 'none' }
  const seconds = holdSeconds - elapsed / 1_000
  if (seconds <= 0) return { kind: 'over' }
  return seconds < 60 ? { kind: 'briefly' } : { kind: 'minutes', minutes: Math.floor(seconds / 60) }
}
