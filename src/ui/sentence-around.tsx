import type { ReactNode } from 'react'

type SentenceAroundProps = { sentence: string; part: string; children: ReactNode }

/** A sentence that shows `children` in place of `part`, a text that it contains once. */
export function SentenceAround({ sentence, part, children }: SentenceAroundProps) {
  const [before, after] = sentence.split(part)
  return (
    <>
      {before}
      {children}
      {after}
    </>
  )
}
