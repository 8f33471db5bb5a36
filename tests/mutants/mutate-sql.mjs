/**
 * The mutants of statements: in the text of a `sql` template, and in the calls of Kysely. Each is a statement that the
 * database accepts and that means something else: an empty text would only fail. Locks are left as they are, because
 * without other connections no test notices that a lock is missing; docs/rules-under-locks.md names the races that do.
 */

/** A word or operator of a condition, and what it becomes. */
const words = [
  [/\band\b/g, 'or'],
  [/\bor\b/g, 'and'],
  [/(?<![<>=!])<(?![=>])/g, '<='],
  [/<=/g, '<'],
  [/(?<![<>=-])>(?!=)/g, '>='],
  [/>=/g, '>'],
  [/<>/g, '='],
  [/(?<![<>=!:])=(?![=>])/g, '<>'],
  [/\bis null\b/g, 'is not null'],
  [/\bis not null\b/g, 'is null'],
  [/\bis not distinct from\b/g, 'is distinct from'],
  [/(?<!\bnot )\bexists\b/g, 'not exists'],
  [/\bnot exists\b/g, 'exists'],
  [/\bgreatest\b/g, 'least'],
  [/\bleast\b/g, 'greatest'],
  [/\bmax(?=\()/g, 'min'],
  [/ - interval\b/g, ' + interval'],
  [/ - make_interval\b/g, ' + make_interval'],
]

/** The words that begin a part of a statement. If the last one before an `=` is `set`, the `=` assigns: it is no condition. */
const clause = /\b(?:set|where|on|when|having|select|returning|from|and|filter)\b/g
/** A time is never equal to another one to the microsecond, so a comparison with the present is turned around. */
const opposites = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' }
const present = /^\s*now\(\)/
const operators = {
  '=': '<>',
  '<>': '=',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  is: 'is not',
  'is not': 'is',
}
/** Calls whose texts name tables, columns and operators: an empty one would only fail. */
const named = new Set(
  'selectFrom updateTable insertInto deleteFrom innerJoin leftJoin select returning orderBy where whereRef column as selectAll'.split(
    ' ',
  ),
)

/** Changes each condition in a `sql` template once. */
export function changeSql({ quasi }) {
  return quasi.quasis.flatMap((part, index) => {
    const text = part.value.raw
    const before = quasi.quasis
      .slice(0, index)
      .map(each => each.value.raw)
      .join('?')
    return words.flatMap(([pattern, to]) =>
      [...text.matchAll(pattern)]
        .filter(({ 0: found, index: at }) => isCondition(found, before + text.slice(0, at)))
        .map(({ 0: found, index: at }) => ({
          start: startOf(part, text) + at,
          end: startOf(part, text) + at + found.length,
          to: present.test(text.slice(at + found.length)) ? (opposites[found] ?? to) : to,
        })),
    )
  })
}

/** Some parsers count the backtick and the braces around a part, others do not. */
function startOf({ start, end }, text) {
  return end - start === text.length ? start : start + 1
}

function isCondition(found, before) {
  if (isInText(before)) return false
  if (found === 'and' && /\bbetween\b(?:(?!\band\b)[^])*$/.test(before)) return false
  if (found !== '=') return true
  return [...before.matchAll(clause)].at(-1)?.[0] !== 'set'
}

/** Inside quotes or a comment. */
function isInText(before) {
  return before.replaceAll(/\/\*[^]*?\*\//g, '').split("'").length % 2 === 0 || /--[^\n]*$/.test(before)
}

/** The mutants of a call of `where` or `whereRef`; undefined for another call. `query.where(…)` becomes `query`. */
export function changeStatement({ start, end, callee, arguments: given }, source) {
  const name = callee.property.name
  if (name !== 'where' && name !== 'whereRef') return undefined
  const removed = { start, end, to: source(callee.object) }
  const known = given.length === 3 && given[1].type === 'Literal' ? given[1].value : undefined
  const isTime = given.length === 3 && source(given[2]).includes('now()')
  const operator = (isTime && opposites[known]) || operators[known]
  if (operator === undefined) return [removed]
  return [removed, { start: given[1].start, end: given[1].end, to: `'${operator}'` }]
}

/** Whether `node` is a text of Kysely that names a table, a column or an operator, or a list of such texts. */
export function isSqlName(node, parent) {
  if (parent?.type === 'CallExpression' && parent.callee.type === 'MemberExpression')
    return (
      named.has(parent.callee.property.name) &&
      parent.arguments.includes(node) &&
      (node.type === 'ArrayExpression' || (node.type === 'Literal' && typeof node.value === 'string'))
    )
  return false
}
