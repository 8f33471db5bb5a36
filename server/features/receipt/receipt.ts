/**
 * The content of a printed receipt. All texts are final and in `language`, because the renderer only does the layout.
 */
export type Receipt = {
  language: 'fr' | 'en'
  title: string
  applicationNumberLabel: string
  applicationNumber: string
  /** Says that the applicant must print the receipt and present it in the enrolment office (FIN02). */
  notice: string
  /**
   * The lines that the clerk reads first: the name, the office, its address, and the date with the time or the general
   * queue. The date and the time share one line. The lines are separate, so that a long name does not move the office.
   */
  headline: LabelledValue[][]
  /** Explains the replacement character; printed only when a value of the headline or of a section contains it. */
  unprintable: string
  sections: { heading: string; rows: LabelledValue[] }[]
  papers: { heading: string; items: string[] }
  qr: { text: string; alt: string; caption: string }
  footer: string
  /** The label of each page, for example "page {page}/{pages}". It is a text, not a function, so that it can go to a worker. */
  pageLabel: string
  issuedAt: Date
}

/**
 * A document without a headline, a QR code and papers to bring. Its application number is in the footer of each page and in the
 * title of the file.
 */
export type PlainDocument = Pick<
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

export type LabelledValue = {
  label: string
  value: string
  /** In the headline: printed smaller than the other values. */
  isDetail?: boolean
}
