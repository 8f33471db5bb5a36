type Used = { classes: Set<string>; tags: Set<string> }

/** Returns the rules of a minified style sheet whose classes and elements occur in the pages, in any state. */
export function neededStyles(sheet: string, pages: readonly string[]): string {
  const html = pages.join('')
  const used: Used = {
    classes: new Set(
      [...html.matchAll(/\sclass="([^"]*)"/g)].flatMap(([, names = '']) => names.split(/\s+/)),
    ),
    tags: new Set(['html', 'body', ...[...html.matchAll(/<([a-z][\w-]*)/g)].map(([, tag = '']) => tag)]),
  }
  const keptRules = keepRules(sheet, used)
  const animations = new Set(
    [...keptRules.matchAll(/animation(?:-name)?:([^;}]+)/g)].flatMap(([, words = '']) =>
      words.split(/[\s,]+/),
    ),
  )
  return keptRules.replaceAll(/@keyframes ([\w-]+)\{(?:[^{}]*\{[^{}]*\})*\}/g, (rule, name) =>
    animations.has(String(name)) ? rule : '',
  )
}

function keepRules(sheet: string, used: Used): string {
  let keptRules = ''
  for (const { prelude, body } of readRules(sheet)) {
    if (/^@(?:media|supports|container)/.test(prelude)) {
      const inner = keepRules(body, used)
      if (inner !== '') keptRules += `${prelude}{${inner}}`
    } else if (prelude.startsWith('@')) keptRules += `${prelude}{${body}}`
    else {
      const selectors = splitSelectors(prelude).filter(selector => canMatch(selector, used))
      if (selectors.length > 0) keptRules += `${selectors.join(',')}{${body}}`
    }
  }
  return keptRules
}

/**
 * Yields each rule of a minified sheet, which has no comments and no braces in strings.
 *
 * @throws when a rule has no closing brace.
 */
function* readRules(sheet: string): Generator<{ prelude: string; body: string }> {
  for (let at = 0; at < sheet.length;) {
    const open = sheet.indexOf('{', at)
    if (open === -1) return
    let depth = 1
    let close = open
    while (depth > 0) {
      close += 1
      if (close >= sheet.length)
        throw new Error(`A CSS rule has no closing brace: ${sheet.slice(at, at + 80)}`)
      if (sheet[close] === '{') depth += 1
      if (sheet[close] === '}') depth -= 1
    }
    yield { prelude: sheet.slice(at, open).trim(), body: sheet.slice(open + 1, close) }
    at = close + 1
  }
}

/** Splits at the commas outside parentheses. Parentheses may be nested once, as in `:is(a,b:not(c))`. */
function splitSelectors(prelude: string): string[] {
  const selectors = prelude.match(/(?:[^,()]|\((?:[^()]|\([^()]*\))*\))+/g) ?? []
  return selectors.map(selector => selector.trim())
}

/** Ignores pseudo-classes, attributes and ids, because a later state of the page may match them. */
function canMatch(selector: string, { classes, tags }: Used): boolean {
  const bare = selector.replaceAll(/::?[\w-]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?|\[[^\]]*\]/g, ' ')
  const named = [...bare.matchAll(/\.([\w-]+)/g)].map(([, name = '']) => name)
  const elements = bare.replaceAll(/[.#][\w-]+/g, ' ').match(/[a-z][\w-]*/g) ?? []
  return named.every(name => classes.has(name)) && elements.every(tag => tags.has(tag))
}
