import { describe, expect, it } from 'vitest'
import { describeError } from '#server/monitoring/logger.ts'

describe('describeError', () => {
  it('removes phone numbers, e-mail addresses, tokens and the data that the database quotes', () => {
    const error = Object.assign(
      new Error('237670000001 and awa.m@example.cm with eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.abc-_d'),
      {
        code: '23505',
        detail: 'Key (kind, value)=(phone, 237670000001) already exists.',
      },
    )
    const text = JSON.stringify(describeError(error))
    expect(text).not.toMatch(/237670|awa|example|eyJ|Key \(/)
    expect(describeError(error)).toMatchObject({
      type: 'Error',
      code: '23505',
      message: '…… and …@… with …token…',
    })
  })

  it('accepts a thrown value that is not an Error', () => {
    expect(describeError('237670000001')).toEqual({ message: '……' })
  })
})
