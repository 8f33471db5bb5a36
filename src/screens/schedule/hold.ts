/** What is left of a reservation: whole minutes, `briefly` for less than one; `none` where nothing is held. */
export type Hold =
  | { kind: 'none' }
  | { kind: 'minutes'; minutes: number }
  | { kind: 'briefly' }
  | { kind: 'over' }

/** `holdSeconds` as the server said it, `elapsed` milliseconds ago by the device's own count. */
export function holdLeft(holdSeconds: number | null | undefined, elapsed: number): Hold {
  if (holdSeconds === null || holdSeconds === undefined) return { kind: 'none' }
  const seconds = holdSeconds - elapsed / 1_000
  if (seconds <= 0) return { kind: 'over' }
  return seconds < 60 ? { kind: 'briefly' } : { kind: 'minutes', minutes: Math.floor(seconds / 60) }
}
