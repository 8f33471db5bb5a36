/**
 * Returns rows as the text of a CSV file (RFC 4180), with the byte order mark that spreadsheets expect. No cell is a formula
 * when a spreadsheet opens the file.
 */
export function writeCsv(rows: readonly (readonly (string | number)[])[]): string {
  const lines = rows.map(row => row.map(cell => quote(withoutFormulas(String(cell)))).join(','))
  return `\ufeff${lines.join('\r\n')}\r\n`
}

/**
 * A cell that begins with one of these characters is a formula. A spreadsheet that expects another separator than the
 * comma splits cells, so the apostrophe is also written before such a character after a separator.
 */
function withoutFormulas(cell: string): string {
  return cell.replace(/(^|[,;|\t\r\n])(\s*["']*\s*[=+\-@＝＋－＠])/g, "$1'$2")
}

function quote(cell: string): string {
  return /[",;|\t\r\n']/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
