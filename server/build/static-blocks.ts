import { parseAst, type Plugin } from 'vite'

/**
 * Rewrites `static { … }` blocks of classes, which Chromium supports from version 94, as private static fields with the
 * same effect. The bundler's own transform (`build.target` below 98) rewrites every private field too, which adds 8 KiB
 * to pdf.js and makes it slower in newer engines.
 */
export function rewriteStaticBlocks(): Plugin {
  return {
    name: 'rewrite-static-blocks',
    renderChunk: code => (mayHold.test(code) ? { code: rewriteIn(code), map: null } : null),
  }
}

const mayHold = /\bstatic\s*\{/

/** Returns the code with every static block rewritten. */
export function rewriteIn(code: string): string {
  const insertions = findBlocks(parseAst(code)).flatMap(({ start, end }) => [
    { at: start, cut: code.indexOf('{', start) - start, text: `static #block${start}=(()=>` },
    { at: end, cut: 0, text: ')();' },
  ])
  // From the end, so that an insertion does not shift the positions before it.
  return insertions
    .toSorted((one, other) => other.at - one.at)
    .reduce((text, { at, cut, text: added }) => text.slice(0, at) + added + text.slice(at + cut), code)
}

type Node = { type: string; start: number; end: number }

/** A loop instead of recursion: the tree of pdf.js has a million nodes. */
function findBlocks(tree: object): Node[] {
  const found: Node[] = []
  const waiting: object[] = [tree]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (isNode(value) && value.type === 'StaticBlock') found.push(value)
    for (const inner of Object.values(value))
      if (typeof inner === 'object' && inner !== null) waiting.push(inner)
  }
  return found
}

function isNode(value: object): value is Node {
  return 'type' in value && 'start' in value && 'end' in value
}
