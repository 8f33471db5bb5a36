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
