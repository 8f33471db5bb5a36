import type { Device } from '#device/device.ts'

export function wait(device: Pick<Device, 'after'>, milliseconds: number): Promise<void> {
  return new Promise(resolve => {
    device.after(milliseconds, resolve)
  })
}
