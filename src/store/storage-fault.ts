/**
 * Why the device cannot save or read: `full`: no room; `refused`: the browser forbids it (private mode, policy), this
 * page has no key or no code of the store, its rows were deleted, or another applicant has signed in; `hangs`: timeout;
 * `lost`: the connection to the database broke and could not be opened again, or any other failure; `blocked`: a tab
 * with an older release has the database open.
 */
export type SaveFailureReason = 'full' | 'refused' | 'hangs' | 'lost' | 'blocked'

/** The storage failed; the data itself is valid. */
export class StorageFault extends Error {
  readonly reason: SaveFailureReason
  constructor(reason: SaveFailureReason, cause?: unknown) {
    super(`the storage of this device: ${reason}`, { cause })
    this.name = 'StorageFault'
    this.reason = reason
  }
}
