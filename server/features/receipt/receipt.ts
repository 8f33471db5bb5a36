/**
 * All that a printed receipt says. Every word comes in ready, in the applicant's language:
 * the renderer knows layout only.
 */
export type Receipt = {
  language: 'fr' | 'en'
  title: string
  applicationNumberLabel: string
  applicationNumber: string
  /** That the receipt must be printed and presented in the enrolment office (FIN02). */
  notice: string
  /**
   * What the clerk at the counter looks for first, line by line, so that a long name moves nothing out of its place:
   * name, office, date with time or general queue.
   */
  headline: LabelledValue[][]
  /** What the mark means that stands for a character without a shape; printed only where there is one. */
  unprintable: string
  sections: { heading: string; rows: LabelledValue[] }[]
  papers: { heading: string; items: string[] }
  qr: { text: string; alt: string; caption: string }
  footer: string
  /** The words for one page of several, for instance "page 1/2". */
  pageLabel: (page: number, pages: number) => string
  issuedAt: Date
}

/** A page of sections alone: no code to scan, no papers to bring. */
export type Statement = Pick<
  Receipt,
  | 'language'
  | 'title'
  | 'applicationNumber'
  | 'notice'
  | 'unprintable'
  | 'sections'
  | 'footer'
  | 'pageLabel'
  | 'issuedAt'
>

export type LabelledValue = { label: string; value: string }
