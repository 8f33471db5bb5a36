/** What a page knew at one moment about the last activity: how long ago it was, the clocks, and the stamp in the storage. */
export type IdleNote = {
  /** When a tab last saved an activity: its wall clock in milliseconds, as text. Undefined when the storage has none. */
  stamp: string | undefined
  /** Milliseconds since the last activity. */
  idleMs: number
  /** Both clocks of this page at the time of the note, in milliseconds. */
  wallMs: number
  monotonicMs: number
}

/** `wasHidden`: the page is or was hidden since the previous note. */
export type IdleReading = Omit<IdleNote, 'idleMs'> & { wasHidden: boolean }

/**
 * Returns the new note, with how long the applicant has been idle (SES07, S85).
 *
 * While the page stays visible, only its monotonic clock counts, so a wall clock that jumps changes nothing. Most
 * phones stop the monotonic clock while they sleep. But a phone hides the page before it sleeps. For a page that was hidden,
 * the clock that went further counts: a page that slept for an hour was idle for an hour.
 *
 * A stamp that changed since the previous note was saved after that note, by any tab, so the applicant was idle for at most
 * the time since that note. If the time in such a stamp is before that note or in the future, the wall clock jumped after
 * the save. Then the jump is subtracted from the time since the stamp. Without a previous note there are no earlier
 * clocks to compare with, so the wall clock alone counts.
 */
export function idleAfter(previous: IdleNote | undefined, reading: IdleReading): IdleNote {
  const { wasHidden, ...now } = reading
  // Storage that is refused or was emptied has no stamp, and says nothing about a new activity.
  const sinceStampMs = now.stamp === undefined ? undefined : now.wallMs - Number(now.stamp)
  if (!previous) return { ...now, idleMs: Math.max(0, sinceStampMs ?? 0) }
  const wallElapsedMs = now.wallMs - previous.wallMs
  const monotonicElapsedMs = now.monotonicMs - previous.monotonicMs
  const elapsedMs = wasHidden ? Math.max(monotonicElapsedMs, wallElapsedMs) : monotonicElapsedMs
  if (sinceStampMs === undefined || now.stamp === previous.stamp)
    return { ...now, idleMs: previous.idleMs + elapsedMs }
  const jumpMs = wallElapsedMs - elapsedMs
  const isSinceNote = sinceStampMs >= 0 && sinceStampMs <= elapsedMs
  const idleMs = isSinceNote ? sinceStampMs : sinceStampMs - jumpMs
  return { ...now, idleMs: Math.min(elapsedMs, Math.max(0, idleMs)) }
}
