/** Both clocks of a device at one moment, in milliseconds: `wallMs` since 1970, `monotonicMs` from any start. */
export type Clocks = { wallMs: number; monotonicMs: number }

const longestSleepMs = 48 * 60 * 60 * 1_000

/** The part of `Device` that reads its clocks. */
export type ClockReader = { now: () => number; monotonic: () => number }

export function readClocks(device: ClockReader): Clocks {
  return { wallMs: device.now(), monotonicMs: device.monotonic() }
}

/**
 * Returns the milliseconds between two moments. The monotonic clock may stand still while the phone sleeps: when the
 * wall clock has moved further by less than 48 hours, the difference counts as sleep. Any other difference is ignored,
 * because a person or the network has set the wall clock (S85).
 */
export function elapsedMs(from: Clocks, to: Clocks): number {
  const awakeMs = to.monotonicMs - from.monotonicMs
  const sleptMs = to.wallMs - from.wallMs - awakeMs
  return sleptMs >= 0 && sleptMs < longestSleepMs ? awakeMs + sleptMs : awakeMs
}
