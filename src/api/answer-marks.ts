import { answerMarkFeature, answerMarkStorageKey } from '#contract/codes.ts'
import type { ServerInfo } from '#contract/session.ts'
import type { Device } from '#device/device.ts'

/** Whether the server marks its answers (D60). Saved on the device, so that a later start knows it at once. */
export type AnswerMarks = {
  isMarking: () => boolean
  /** The server's marks also repeat the nonce of the request. */
  isBinding: () => boolean
  /**
   * Saves what `/version` says, also that the server does not mark: an older release may have replaced one that did.
   * `isBound`: the mark of this answer repeats the nonce. Behind a proxy that drops the nonce no mark repeats it.
   */
  update: (info: ServerInfo, isBound: boolean) => void
  /**
   * An answer had a valid mark, so the server marks. `isBound`: with the nonce. Returns true when it was not known before
   * that the server marks.
   */
  learn: (isBound: boolean) => boolean
}

/** As saved on the device; undefined: no marks. */
const marking = '1'
const binding = '2'

export function createAnswerMarks(device: Pick<Device, 'readText' | 'saveText'>): AnswerMarks {
  let saved = device.readText(answerMarkStorageKey)

  function save(next: string | undefined) {
    if (next === saved) return
    device.saveText(answerMarkStorageKey, next)
    saved = next
  }

  return {
    isMarking: () => saved !== undefined,
    isBinding: () => saved === binding,
    update: ({ features }, isBound) =>
      save(features.includes(answerMarkFeature) ? (isBound ? binding : marking) : undefined),
    learn(isBound) {
      const isNew = saved === undefined
      if (isNew || isBound) save(isBound ? binding : marking)
      return isNew
    },
  }
}
