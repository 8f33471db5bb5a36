import type { Device } from '#device/device.ts'
import { type SaveFailureReason, StorageFault } from './storage-fault.ts'

/** Undefined when the storage fails; every other error is thrown. */
export async function undefinedOnFault<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  return (await valueOrFault(reading)).value
}

/** The value, or the reason why the storage did not give it. */
export async function valueOrFault<Value>(
  reading: Promise<Value>,
): Promise<{ value?: Value; reason?: SaveFailureReason }> {
  try {
    return { value: await reading }
  } catch (error) {
    if (error instanceof StorageFault) return { reason: error.reason }
    throw error
  }
}

/** A mistake of the program must not stop a log-out; the browser still reports it as an uncaught error. */
export function reportMistake(error: unknown, { after }: Pick<Device, 'after'>): void {
  if (error instanceof StorageFault) return
  after(0, () => {
    throw error
  })
}
