interface ContactLinksProps {
  phone: string
  /** The text of the link that calls `phone`. */
  callText: string
  /** Absent when only the phone number is known. */
  mail?: { address: string; text: string } | undefined
}

/** How to reach a help desk: a link that calls, and one that writes. */
export function ContactLinks({ phone, callText, mail }: ContactLinksProps) {
  return (
    <>
      <p className="link-line">
        <a href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`}>{callText}</a>
      </p>
      {mail && (
        <p className="link-line">
          <a href={`mailto:${mail.address}`}>{mail.text}</a>
        </p>
      )}
    </>
  )
}
