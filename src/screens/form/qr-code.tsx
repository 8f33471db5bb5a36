import { encode } from 'uqr'

/** A QR code drawn as one path; its quiet zone is part of it, dark on light whatever the page's colours. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { ecc: 'M', border: 4 })
  return (
    // eslint-disable-next-line jsx-a11y/prefer-tag-over-role -- an img has no markup of its own
    <svg role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path
        fill="#000"
        d={data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : []))).join('')}
      />
    </svg>
  )
}
