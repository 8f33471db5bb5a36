import { expect, it } from 'vitest'
import { createAutomaticReads } from '#api/automatic-reads.ts'
import { createQueryClient } from '#api/queries.ts'

it('the reads that follow an automatic one that failed do not count as automatic (D89)', async () => {
  const reads = createAutomaticReads([])
  const client = createQueryClient()
  client.refetchQueries = () => Promise.reject(new Error('The read has failed.'))
  await expect(reads.readFailed(client)).rejects.toThrow('has failed')
  expect(reads.isReading()).toBe(false)
})
