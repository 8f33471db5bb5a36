import { describe, expect, it } from 'vitest'
import { idleAfter, type IdleNote, type IdleReading } from '#session/idle-time.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
/** Ten seconds idle at the wall time 100 s and the monotonic time 50 s. */
const note: IdleNote = { stamp: '90000', idleMs: 10_000, wallMs: 100_000, monotonicMs: 50_000 }

/** The reading after these times of both clocks. */
function after(wallMs: number, monotonicMs: number, more: Partial<IdleReading> = {}): IdleReading {
  return {
    stamp: '90000',
    wallMs: note.wallMs + wallMs,
    monotonicMs: note.monotonicMs + monotonicMs,
    wasHidden: false,
    ...more,
  }
}

describe('idleAfter (S85)', () => {
  it.each<[string, IdleReading, number]>([
    ['both clocks agree', after(5_000, 5_000), 15_000],
    ['the wall clock jumps forward', after(dayMs + 5_000, 5_000), 15_000],
    ['the wall clock jumps back', after(-dayMs, 5_000), 15_000],
    ['the page was hidden and slept', after(hourMs, 5_000, { wasHidden: true }), hourMs + 10_000],
    ['the page was hidden and the clock set back', after(-dayMs, 5_000, { wasHidden: true }), 15_000],
    ['another tab saves', after(5_000, 5_000, { stamp: '102000' }), 3_000],
    ['another tab saves, then the clock jumps', after(dayMs, 5_000, { stamp: '102000' }), 3_000],
    ['another tab saves after a jump', after(dayMs, 5_000, { stamp: `${dayMs + 98_000}` }), 2_000],
    ['another tab saves before the clock is set back', after(-dayMs, 5_000, { stamp: '102000' }), 3_000],
    ['the stamp disappears', after(5_000, 5_000, { stamp: undefined }), 15_000],
  ])('measures the time since the last activity when %s', (_, reading, idleMs) => {
    expect(idleAfter(note, reading).idleMs).toBe(idleMs)
  })

  it.each<[string, IdleReading, number]>([
    ['the time since the stamp, by the wall clock, after a page load', after(hourMs, 0), hourMs + 10_000],
    ['zero when the stamp is of a later time', after(-dayMs, 0), 0],
    ['zero without a stamp', after(0, 0, { stamp: undefined }), 0],
  ])('starts with %s', (_, reading, idleMs) => {
    expect(idleAfter(undefined, reading).idleMs).toBe(idleMs)
  })
})
