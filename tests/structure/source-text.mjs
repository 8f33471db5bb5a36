// A small tokenizer for TypeScript. It separates code from comments, strings, templates and regular expressions, so that
// the tests of this folder and the requirements report can search code, comments or strings alone. It is plain
// JavaScript because `npm run coverage:requirements` runs it without a compiler.

/**
 * Splits source text into pieces. `start` is the offset of a piece, and `literal` the offset of the whole string or
 * template: a template with `${…}` has several pieces, its chunks, with the same `literal`.
 */
export function readPieces(text) {
  const reader = { text, at: 0, codeFrom: 0, pieces: [] }
  readCode(reader, false)
  closeCode(reader, text.length)
  return reader.pieces
}

/**
 * Returns the text with spaces in place of comments, regular expressions and the content of strings and templates; the
 * length stays the same.
 */
export function blankLiterals(text) {
  return readPieces(text)
    .map(piece => (piece.kind === 'code' ? piece.text : blankInside(piece)))
    .join('')
}

/** Returns every string and template as `{ start, end, text, chunks }`. `text` has no quotes, and U+0000 for each `${…}`. */
export function readLiterals(text) {
  const literals = new Map()
  for (const piece of readPieces(text)) {
    if (piece.kind !== 'string' && piece.kind !== 'template') continue
    const known = literals.get(piece.literal)
    const chunks = [...(known?.chunks ?? []), withoutDelimiters(piece)]
    const end = piece.start + piece.text.length
    literals.set(piece.literal, { start: piece.literal, end, text: chunks.join('\u0000'), chunks })
  }
  return [...literals.values()]
}

/** Returns the offset of the bracket that closes the bracket at `open` in blanked text; -1 when none closes it. */
export function findClosing(blanked, open) {
  let depth = 0
  for (let at = open; at < blanked.length; at += 1) {
    if ('([{'.includes(blanked[at])) depth += 1
    if (')]}'.includes(blanked[at])) depth -= 1
    if (depth === 0) return at
  }
  return -1
}

// Reads to the end of the text or of a `${…}`. In `reader`, `at` is the current offset, and `codeFrom` the offset of the
// code that is in no piece yet.
function readCode(reader, insideTemplate) {
  let braces = 0
  while (reader.at < reader.text.length) {
    const character = reader.text[reader.at]
    if (insideTemplate && character === '}' && braces === 0) return
    if (character === '{') braces += 1
    if (character === '}') braces -= 1
    if (!readLiteral(reader, character)) reader.at += 1
  }
}

function readLiteral(reader, character) {
  if (character === '`') return readTemplate(reader)
  if (character === "'" || character === '"') return addPiece(reader, 'string', endOfString(reader))
  if (character !== '/') return false
  if (reader.text.startsWith('//', reader.at)) return addPiece(reader, 'comment', endOfLine(reader))
  if (reader.text.startsWith('/*', reader.at)) return addPiece(reader, 'comment', endOfBlockComment(reader))
  return startsRegex(reader) && addPiece(reader, 'regex', endOfRegex(reader))
}

function addPiece(reader, kind, end) {
  if (end < 0) return false
  closeCode(reader, reader.at)
  const start = reader.at
  reader.pieces.push({ kind, start, literal: start, text: reader.text.slice(start, end) })
  reader.at = end
  reader.codeFrom = end
  return true
}

function closeCode(reader, end) {
  if (end <= reader.codeFrom) return
  const start = reader.codeFrom
  reader.pieces.push({ kind: 'code', start, literal: start, text: reader.text.slice(start, end) })
}

function readTemplate(reader) {
  const literal = reader.at
  let from = reader.at
  closeCode(reader, from)
  reader.at += 1
  while (reader.at < reader.text.length) {
    const character = reader.text[reader.at]
    if (character === '\\') reader.at += 2
    else if (character === '`') break
    else if (reader.text.startsWith('${', reader.at)) {
      reader.at += 2
      addChunk(reader, literal, from)
      readCode(reader, true)
      closeCode(reader, reader.at)
      from = reader.at
      reader.at += 1
    } else reader.at += 1
  }
  reader.at = Math.min(reader.at + 1, reader.text.length)
  addChunk(reader, literal, from)
  return true
}

function addChunk(reader, literal, from) {
  reader.pieces.push({ kind: 'template', start: from, literal, text: reader.text.slice(from, reader.at) })
  reader.codeFrom = reader.at
}

// An apostrophe in JSX text follows a letter (`Don't`) or has no partner on its line; it opens no string.
function endOfString(reader) {
  const quote = reader.text[reader.at]
  if (quote === "'" && /[\p{L}\d]/u.test(reader.text[reader.at - 1] ?? '')) return -1
  for (let at = reader.at + 1; at < reader.text.length; at += 1) {
    const character = reader.text[at]
    if (character === '\\') at += 1
    else if (character === '\n') return -1
    else if (character === quote) return at + 1
  }
  return -1
}

function endOfLine(reader) {
  const end = reader.text.indexOf('\n', reader.at)
  return end < 0 ? reader.text.length : end
}

function endOfBlockComment(reader) {
  const end = reader.text.indexOf('*/', reader.at + 2)
  return end < 0 ? reader.text.length : end + 2
}

// After a value a slash is a division; after an operator or `return` it opens a regular expression; after `<` or before
// `>` it closes a JSX tag.
function startsRegex(reader) {
  if (reader.text[reader.at + 1] === '>') return false
  const before = reader.text.slice(Math.max(0, reader.at - 40), reader.at).trimEnd()
  return before === '' || /[(,=:[!&|?{};+\-*%>~^]$/.test(before) || /\b(?:return|typeof|case)$/.test(before)
}

function endOfRegex(reader) {
  let insideClass = false
  for (let at = reader.at + 1; at < reader.text.length; at += 1) {
    const character = reader.text[at]
    if (character === '\\') at += 1
    else if (character === '\n') return -1
    else if (character === '[') insideClass = true
    else if (character === ']') insideClass = false
    else if (character === '/' && !insideClass) return at + 1
  }
  return -1
}

// Keeps quotes, backticks and line breaks, so that offsets and lines stay the same.
function blankInside(piece) {
  if (piece.kind === 'comment' || piece.kind === 'regex') return piece.text.replaceAll(/[^\n]/g, ' ')
  const opening = piece.text.startsWith('}') ? ' ' : piece.text.slice(0, 1)
  const closing = piece.text.endsWith('${') ? '  ' : piece.text.slice(-1)
  const inside = piece.text.slice(1, piece.text.length - closing.length).replaceAll(/[^\n]/g, ' ')
  return opening + inside + closing
}

function withoutDelimiters(piece) {
  return piece.text.slice(1, piece.text.endsWith('${') ? -2 : -1)
}
