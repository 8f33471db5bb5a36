import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { hasEnded, stopProcess } from './stop-process.ts'

describe('stopProcess', () => {
  it('ends a running process, and resolves also when the process ended before', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'])
    await once(child, 'spawn')
    expect(hasEnded(child)).toBe(false)
    await stopProcess(child)
    expect(hasEnded(child)).toBe(true)
    await stopProcess(child)
  })
})
