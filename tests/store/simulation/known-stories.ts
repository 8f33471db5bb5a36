import type { Story } from './story.ts'

/** The shortest stories of faults that the simulator has found and that are mended. */
export const knownStories: readonly { title: string; story: Story }[] = [
  {
    title: 'D30 does not say "on the server" of a draft that has just moved to the server\'s id',
    story: {
      seed: 2,
      openLimit: 1,
      steps: [
        { kind: 'start', tab: 'B1' },
        { kind: 'wait', ms: 1_428 },
        { kind: 'start', tab: 'B1' },
        { kind: 'wait', ms: 10 },
        { kind: 'type', tab: 'B1', field: 'motherSurname', value: 'B1.7' },
      ],
    },
  },
  {
    title: 'D63 makes an unsaved answer a revision when another tab of a full phone has answered differently',
    story: {
      seed: 30,
      openLimit: 1,
      steps: [
        { kind: 'start', tab: 'A1' },
        { kind: 'start', tab: 'B1' },
        { kind: 'wait', ms: 3_691 },
        { kind: 'storage', phone: 'A', trouble: 'disk is full' },
        { kind: 'fault', phone: 'A', fault: 'too many requests' },
        { kind: 'type', tab: 'A3', field: 'surname', value: 'A3.20' },
        { kind: 'type', tab: 'A1', field: 'motherSurname', value: 'A1.22' },
        { kind: 'wait', ms: 40_335 },
        { kind: 'type', tab: 'A2', field: 'surname', value: 'A2.23' },
        { kind: 'wait', ms: 2_874 },
      ],
    },
  },
  {
    title: "OFF07 retries the move to the server's id when the disk was full",
    story: {
      seed: 11,
      openLimit: 1,
      steps: [
        { kind: 'start', tab: 'A1' },
        { kind: 'wait', ms: 200 },
        { kind: 'storage', phone: 'A', trouble: 'disk is full' },
        { kind: 'wait', ms: 10_000 },
      ],
    },
  },
]
