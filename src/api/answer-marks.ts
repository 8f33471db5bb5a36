import { answerMarkFeature } from '#contract/answer-mark.ts'
import { answerMarkStorageKey } from '#contract/codes.ts'
import type { ServerInfo } from '#contract/session.ts'
import type { Device } from '#device/device.ts'

/** Whether the server marks its answers (D60). Saved on the device, so that a later start knows it at once. */
export type AnswerMarks = {
  isMarking: () => boolean
  /** An older release may have taken the place of a server that marked. */
  update: (info: ServerInfo) => void
  /** An answer had a valid mark, so the server marks. Returns whether this was not known. */
  learn: () => boolean
}

export function createAnswerMarks(device: Pick<Device, 'readText' | 'saveText'>): AnswerMarks {
  let isMarking = device.readText(answerMarkStorageKey) !== undefined

  function setMarking(marks: boolean): boolean {
    if (marks === isMarking) return false
    device.saveText(answerMarkStorageKey, marks ? '1' : undefined)
    isMarking = marks
    return true
  }

  return {
    isMarking: () => isMarking,
    update: ({ features }) => void setMarking(features.includes(answerMarkFeature)),
    learn: () => setMarking(true),
  }
}
