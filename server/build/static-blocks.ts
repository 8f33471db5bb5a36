import { parseAst, type Plugin } from 'vite'

/**
 * Rewrites `static { … }` in classes, which Chromium knows from version 94 on, as a private static field with the same
 * effect. The bundler's own way (`build.target` below 98) rewrites every private field as well: that costs 8 KiB of
 * pdf.js, and time, in each newer engine.
 */
export function rewriteStaticBlocks(): Plugin {
  return {
    name: 'rewrite-static-blocks',
    renderChunk: code => (mayHold.test(code) ? { code: rewriteIn(code), map: null } : null),
  }
}

const mayHold = /\bstatic\s*\{/

export function rewriteIn(code: string): string {
  const insertions = findBlocks(parseAst(code)).flatMap(({ start, end }) => [
    { at: start, cut: code.indexOf('{', start) - start, text: `static #block${start}=(()=>` },
    { at: end, cut: 0, text: ')();' },
  ])
  // From the end, so that no insertion moves the place of another.
  return insertions
    .toSorted((one, other) => other.at - one.at)
    .reduce((text, { at, cut, text: added }) => text.slice(0, at) + added + text.slice(at + cut), code)
}

type Node = { type: string; start: number; end: number }

/** A loop over one list: the tree of pdf.js has a million nodes. */
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
