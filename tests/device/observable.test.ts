import { describe, expect, it } from 'vitest'
import { createListeners, createObservable } from '#device/observable.ts'

describe('createObservable', () => {
  it('sets the new state before it calls a listener, and calls no listener that has unsubscribed', () => {
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
  it('starts watching at the first listener, stops when the last one unsubscribes, and starts again at the next', () => {
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
