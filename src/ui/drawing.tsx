const paths = {
  /** A certificate, an identity card and a passport, laid out side by side. */
  documents:
    'M10 6h22l10 10v42H10zM32 6v10h10M18 27h16M18 35h16M18 43h9M52 24h32v26H52zM62 31.500a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7zM56.500 45c1-5 10-5 11 0M73 33h6M73 40h6M94 10h21a4 4 0 0 1 4 4v40a4 4 0 0 1-4 4H94zM107 22a6 6 0 1 1 0 12 6 6 0 0 1 0-12zM101 28h12M102 44h10',
  /** The place of a passport that is not there yet. No plus: the drawing is no button. */
  emptyList:
    'M8 6h6M20 6h6M32 6h6M44 6a4 4 0 0 1 4 4v4M48 20v6M48 32v6M48 44v6M48 54a4 4 0 0 1-4 4h-4M34 58h-6M22 58h-6M10 58H8v-6M8 46v-6M8 34v-6M8 22v-6M28 18a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM19 42h18',
} satisfies Record<string, string>

/** A drawing beside a text that says the same, so it is hidden from screen readers. Takes its colour from the text. */
export function Drawing({ name }: { name: keyof typeof paths }) {
  // Attributes instead of a style sheet: the first visit loads all style sheets, and shows no drawing.
  return (
    <svg
      viewBox="7 0 128 64"
      width="8em"
      height="4em"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  )
}
