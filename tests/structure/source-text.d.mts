export interface Piece {
  kind: 'code' | 'comment' | 'string' | 'template' | 'regex'
  start: number
  literal: number
  text: string
}

export interface Literal {
  start: number
  end: number
  /** The content without quotes; a NUL character replaces each `${…}` of a template. */
  text: string
  chunks: string[]
}

export function readPieces(text: string): Piece[]
export function blankLiterals(text: string): string
export function readLiterals(text: string): Literal[]
export function findClosing(blanked: string, open: number): number
