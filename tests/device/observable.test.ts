import { describe, expect, it } from 'vitest'
import { createListeners, createObservable } from '#device/observable.ts'

describe('createObservable', () => {
  it('calls each listener with the new state in place until it unsubscribes', () => {
    const source = createObservable(1)
    const seen: number[] = []
    const stop = source.subscribe(() => seen.push(source.state()))
    source.setState(2)
    stop()
    source.setState(3)
    expect(seen).toEqual([2])
    expect(source.state()).toBe(3)
  })
})

describe('createListeners', () => {
  it('watches from the first listener to the last, and again for the next one', () => {
    const log: string[] = []
    const { subscribe } = createListeners(() => {
      log.push('start')
      return () => log.push('stop')
    })
    const [stopFirst, stopSecond] = [subscribe(() => undefined), subscribe(() => undefined)]
    stopFirst()
    stopFirst()
    expect(log).toEqual(['start'])
    stopSecond()
    subscribe(() => undefined)
    expect(log).toEqual(['start', 'stop', 'start'])
  })
})
