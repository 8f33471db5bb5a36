import { parseAst, type Plugin } from 'vite'

/**
 * Rewrites the `static { … }` blocks of classes as private static fields with the same effect. The portal supports Chromium
 * 92, and Chromium has such blocks only from version 94. The bundler would rewrite them itself with a `build.target` below
 * Chromium 98, but then it also rewrites every private field; that would add 8 KiB to pdf.js and make pdf.js slower in newer
 * engines.
 */
export function rewriteStaticBlocks(): Plugin {
  return {
    name: 'rewrite-static-blocks',
    renderChunk: code => (mayContainBlock.test(code) ? { code: rewriteIn(code), map: null } : null),
  }
}

/** Also matches in a string or a comment; then `rewriteIn` changes nothing. */
const mayContainBlock = /\bstatic\s*\{/

/** Returns the code with every static block rewritten. */
export function rewriteIn(code: string): string {
  const edits = findBlocks(parseAst(code)).flatMap(({ start, end }) => [
    // The position makes the name unique.
    { at: start, cut: code.indexOf('{', start) - start, text: `static #block${start}=(()=>` },
    { at: end, cut: 0, text: ')();' },
  ])
  // The last edit first, because each one shifts the positions behind it.
  return edits
    .toSorted((one, other) => other.at - one.at)
    .reduce((text, { at, cut, text: added }) => text.slice(0, at) + added + text.slice(at + cut), code)
}

type Node = { type: string; start: number; end: number }

/** A loop, because recursion could overflow the stack: the tree of pdf.js has a million nodes. */
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
