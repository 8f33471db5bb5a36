import { answerMarkFeature } from '#contract/answer-mark.ts'
import { answerMarkStorageKey } from '#contract/codes.ts'
import type { ServerInfo } from '#contract/session.ts'
import type { Device } from '#device/device.ts'

/** Whether the server marks its answers (D60). Saved on the device, so that a later start knows it at once. */
export type AnswerMarks = {
  isMarking: () => boolean
  /** An older release may have taken the place of a server that marked. */
  update: (info: ServerInfo) => void
}

export function createAnswerMarks(device: Pick<Device, 'readText' | 'saveText'>): AnswerMarks {
  let isMarking = device.readText(answerMarkStorageKey) !== undefined
  return {
    isMarking: () => isMarking,
    update({ features }) {
      const marks = features.includes(answerMarkFeature)
      if (marks !== isMarking) device.saveText(answerMarkStorageKey, marks ? '1' : undefined)
      isMarking = marks
    },
  }
}
