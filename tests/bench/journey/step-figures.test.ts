import { describe, expect, it } from 'vitest'
import { figuresOfSteps, longestSequence, type RequestSpan } from './step-figures.ts'

describe('longestSequence', () => {
  it.each<[string, [startMs: number, endMs: number][], number]>([
    ['no request', [], 0],
    [
      'requests at the same time',
      [
        [0, 400],
        [5, 410],
        [10, 900],
      ],
      1,
    ],
    [
      'requests that wait for each other',
      [
        [0, 400],
        [410, 820],
        [830, 1_300],
      ],
      3,
    ],
    [
      'a long request beside two short ones',
      [
        [0, 2_000],
        [0, 400],
        [400, 900],
      ],
      2,
    ],
    [
      'requests in any order',
      [
        [830, 1_300],
        [0, 400],
        [410, 820],
      ],
      3,
    ],
  ])('counts %s', (_, spans, length) => {
    expect(longestSequence(spans.map(span))).toBe(length)
  })
})

describe('figuresOfSteps', () => {
  const steps = [
    { name: 'second', tapMs: 5_000, usableMs: 5_600 },
    { name: 'first', tapMs: 1_000, usableMs: 2_000 },
  ]
  const nothing = { requests: [], arrivals: [], tasks: [] }

  it('sorts the steps by their taps and returns each wait', () => {
    expect(figuresOfSteps({ steps, ...nothing })).toMatchObject([
      { name: 'first', waitMs: 1_000 },
      { name: 'second', waitMs: 600 },
    ])
  })

  it('separates the bytes before a usable screen from those until the next tap', () => {
    const arrivals = [900, 1_500, 1_900, 2_100, 4_900, 5_500, 9_000].map(atMs => ({ atMs, bytes: 10 }))
    expect(figuresOfSteps({ steps, ...nothing, arrivals })).toMatchObject([
      { bytes: 20, bytesAfterUsable: 20 },
      { bytes: 10, bytesAfterUsable: 10 },
    ])
  })

  it('leaves out requests that begin before the tap or end after the screen is usable', () => {
    const requests = [
      [900, 1_300],
      [1_000, 1_400],
      [1_410, 1_990],
      [1_995, 2_400],
    ].map(([startMs = 0, endMs = 0]) => span([startMs, endMs]))
    expect(figuresOfSteps({ steps, ...nothing, requests })).toMatchObject([
      { requestsInRow: 2 },
      { requestsInRow: 0 },
    ])
  })

  it('takes the longest task until the next tap', () => {
    const tasks = [
      { atMs: 1_200, durationMs: 80 },
      { atMs: 4_000, durationMs: 120 },
      { atMs: 5_100, durationMs: 60 },
    ]
    expect(figuresOfSteps({ steps, ...nothing, tasks })).toMatchObject([
      { longestTaskMs: 120 },
      { longestTaskMs: 60 },
    ])
  })
})

function span([startMs, endMs]: [number, number]): RequestSpan {
  return { path: '/api/v1/applications', startMs, endMs }
}
