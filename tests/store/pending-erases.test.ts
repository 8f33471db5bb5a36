import { expect, it } from 'vitest'
import { addMark } from '#store/pending-erases.ts'

const marks = (count: number) => Array.from({ length: count }, (_, index) => `applicant ${index + 1}`)

it.each([
  ['to an empty list', [], 'applicant ada', ['applicant ada']],
  ['after the older ones', ['session 1'], 'applicant ada', ['session 1', 'applicant ada']],
  ['once, as the newest', ['applicant ada', 'session 1'], 'applicant ada', ['session 1', 'applicant ada']],
  ['of an older release, which had no id of the session', ['session 1'], '', ['session 1', '']],
  ['as number 100', marks(99), 'applicant 100', marks(100)],
  ['to 100 others instead of the oldest', marks(100), 'applicant 101', marks(101).slice(1)],
  [
    'again to a full list, which loses none',
    marks(100),
    'applicant 1',
    [...marks(100).slice(1), 'applicant 1'],
  ],
  ['to a longer list of an older release', marks(250), 'applicant 251', marks(251).slice(-100)],
])('adds a mark %s (D31)', (_name, before, mark, after) => {
  expect(addMark(before, mark)).toEqual(after)
})
