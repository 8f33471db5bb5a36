import type { Story } from './story.ts'

/** The shortest stories of faults that the simulator has found and that were corrected. tell-story.ts explains each step. */
export const knownStories: readonly { title: string; story: Story }[] = [
  {
    title: 'do not say "on the server" of a draft that has just moved to the server\'s id (D30)',
    story: {
      seed: 2,
      maxOpenApplications: 1,
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
    title: "retry the move to the server's id when the disk was full (OFF07)",
    story: {
      seed: 11,
      maxOpenApplications: 1,
      steps: [
        { kind: 'start', tab: 'A1' },
        { kind: 'wait', ms: 200 },
        { kind: 'storage', phone: 'A', trouble: 'disk is full' },
        { kind: 'wait', ms: 10_000 },
      ],
    },
  },
  {
    title: "save an answer under the server's id when the draft moves there during the save (D33)",
    story: {
      seed: 92,
      maxOpenApplications: 1,
      steps: [
        { kind: 'old release', phone: 'A', version: 3, value: 'old' },
        { kind: 'start', tab: 'A1' },
        { kind: 'start', tab: 'B1' },
        { kind: 'wait', ms: 1_663 },
        { kind: 'type', tab: 'B1', field: 'givenName', value: 'B1.1' },
      ],
    },
  },
]
