import { encode } from 'uqr'

/** A QR code as one SVG path with its quiet zone. Always dark on light, because scanners need that contrast. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { ecc: 'M', border: 4 })
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an img element cannot contain SVG markup
    <svg role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path
        fill="#000"
        d={data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : []))).join('')}
      />
    </svg>
  )
}
