/** Lists the mutants of a source file: each is one small change of the text that a test should notice. */
import { parseSync } from 'vite'
import { changeSql, changeStatement, isSqlName } from './mutate-sql.mjs'

const comparisons = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
}
const calculations = { '+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['*'], '&': ['|'], '|': ['&'] }
const connections = { '&&': ['||'], '||': ['&&'], '??': ['&&'] }
const assignments = { '+=': ['-='], '-=': ['+='], '??=': ['&&='], '||=': ['&&='], '&&=': ['||='] }
const methods = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
}
/** `list.filter(…)` becomes `list`. */
const removable = new Set(['filter', 'slice', 'trim', 'sort', 'reverse', 'replace', 'replaceAll', 'padStart'])

/** Types have no effect at run time, and the compiler checks the names of modules and of properties. */
const ignoredKeys = new Set(['typeAnnotation', 'returnType', 'typeParameters', 'typeArguments', 'source'])
const ignoredTypes = new Set([
  'ImportDeclaration',
  'ExportAllDeclaration',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
])

/**
 * Returns `{ start, end, to, from, line }` for each mutant, in the order of the text, without two equal ones.
 * `from` is the text that `to` replaces, and `line` is the number of its line. Leaves out the functions `without`. With
 * `only` nothing else is changed than these functions.
 */
export function listMutants(path, text, { without = [], only } = {}) {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`)
  const found = new Map()
  const isLeftOut = ({ type, id }) => type === 'FunctionDeclaration' && without.includes(id.name)
  const parts = only === undefined ? [program] : findFunctions(program, only)
  for (const part of parts)
    visit(part, isLeftOut, (node, parent) => {
      for (const { start, end, to } of mutantsOf(node, parent, text))
        found.set(`${start} ${end} ${to}`, { start, end, to })
    })
  return [...found.values()]
    .filter(({ start, end, to }) => text.slice(start, end) !== to)
    .sort((one, other) => one.start - other.start || one.end - other.end)
    .map(({ start, end, to }) => ({
      start,
      end,
      to,
      from: text.slice(start, end),
      line: text.slice(0, start).split('\n').length,
    }))
}

function findFunctions({ body }, names) {
  const declarations = body.map(node => (node.type === 'ExportNamedDeclaration' ? node.declaration : node))
  return declarations.filter(node => node?.type === 'FunctionDeclaration' && names.includes(node.id.name))
}

export function applyMutant(text, { start, end, to }) {
  return text.slice(0, start) + to + text.slice(end)
}

function visit(node, isLeftOut, report, parent) {
  if (ignoredTypes.has(node.type) || isLeftOut(node)) return
  if (isSqlName(node, parent)) return
  report(node, parent)
  for (const [key, value] of Object.entries(node)) {
    if (ignoredKeys.has(key) || isName(node, key)) continue
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === 'string') visit(child, isLeftOut, report, node)
  }
}

function isName(node, key) {
  return key === 'key' && !node.computed
}

function mutantsOf(node, parent, text) {
  const make = makers[node.type]
  return make ? make(node, parent, part => text.slice(part.start, part.end)) : []
}

const makers = {
  BinaryExpression: (node, _, source) => changeOperator(node, { ...comparisons, ...calculations }, source),
  LogicalExpression: (node, _, source) => changeOperator(node, connections, source),
  AssignmentExpression: (node, _, source) => changeOperator(node, assignments, source),
  UpdateExpression: node => [{ ...span(node), to: '0' }],
  UnaryExpression: (node, _, source) =>
    node.operator === '!' || node.operator === '-'
      ? [{ ...span(node), to: `(${source(node.argument)})` }]
      : [],
  IfStatement: node => conditions(node.test),
  ConditionalExpression: node => conditions(node.test),
  WhileStatement: node => [{ ...span(node.test), to: 'false' }],
  ForOfStatement: node => [{ ...span(node.right), to: '[]' }],
  SwitchCase: node => (node.consequent.length > 0 ? [spanOf(node.consequent, '')] : []),
  BlockStatement: node => (node.body.length > 0 ? [{ ...span(node), to: '{}' }] : []),
  ArrowFunctionExpression: (node, _, source) => (node.expression ? changeArrow(node, source) : []),
  ReturnStatement: node => (isTest(node.argument) ? conditions(node.argument) : []),
  ArrayExpression: node => (node.elements.length > 0 ? [{ ...span(node), to: '[]' }] : []),
  ObjectExpression: node => (node.properties.length > 0 ? [{ ...span(node), to: '({})' }] : []),
  TemplateLiteral: (node, parent) =>
    parent?.type === 'TaggedTemplateExpression' ? [] : [{ ...span(node), to: '``' }],
  TaggedTemplateExpression: node => (node.tag.name === 'sql' ? changeSql(node) : []),
  Literal: changeLiteral,
  CallExpression: changeCall,
  MemberExpression: (node, _, source) =>
    node.optional
      ? [
          {
            start: node.object.end,
            end: node.end,
            to: source(node)
              .slice(length(node.object))
              .replace('?.', node.computed ? '' : '.'),
          },
        ]
      : [],
}

function changeOperator(node, table, source) {
  const between = source({ start: node.left.end, end: node.right.start })
  const at = node.left.end + between.lastIndexOf(node.operator)
  return (table[node.operator] ?? []).map(to => ({ start: at, end: at + node.operator.length, to }))
}

function changeArrow(node, source) {
  const body = source(node.body)
  const outer = source(node)
  // An object literal is in parentheses, which are no part of its node.
  if (outer.endsWith(')') && !body.endsWith(')')) return []
  return [{ ...span(node.body), to: 'undefined' }, ...(isTest(node.body) ? conditions(node.body) : [])]
}

function changeLiteral(node, parent) {
  if (node.regex) return changeRegex(node)
  if (typeof node.value === 'boolean') return [{ ...span(node), to: String(!node.value) }]
  if (typeof node.value === 'number') return [{ ...span(node), to: String(node.value + 1) }]
  if (typeof node.value !== 'string' || parent?.type === 'ExpressionStatement') return []
  return [{ ...span(node), to: node.value === '' ? "'mutant'" : "''" }]
}

/** Without its first or last anchor, with each `+` and `*` or count removed, and with opposite classes. */
function changeRegex(node) {
  const { pattern, flags } = node.regex
  const patterns = [
    pattern.startsWith('^') && pattern.slice(1),
    pattern.endsWith('$') && pattern.slice(0, -1),
    ...[...pattern.matchAll(/(?<!\\)[+*]|\{\d+(?:,\d*)?\}/g)].map(
      ({ index, 0: count }) => pattern.slice(0, index) + pattern.slice(index + count.length),
    ),
    ...[...pattern.matchAll(/\\[dws]/gi)].map(
      ({ index, 0: kind }) => pattern.slice(0, index) + swapCase(kind) + pattern.slice(index + kind.length),
    ),
    ...[...pattern.matchAll(/(?<!\\)\[(\^?)/g)].map(
      ({ index, 0: opening, 1: not }) =>
        pattern.slice(0, index) + (not ? '[' : '[^') + pattern.slice(index + opening.length),
    ),
  ]
  return patterns.filter(Boolean).map(changed => ({ ...span(node), to: `/${changed}/${flags}` }))
}

function changeCall(node, _, source) {
  const { callee } = node
  if (callee.type !== 'MemberExpression' || callee.computed) return []
  const name = callee.property.name
  const changed = changeStatement(node, source)
  if (changed !== undefined) return changed
  if (Object.hasOwn(methods, name)) return [{ ...span(callee.property), to: methods[name] }]
  return removable.has(name) ? [{ ...span(node), to: source(callee.object) }] : []
}

function conditions(test) {
  return ['true', 'false'].map(to => ({ ...span(test), to }))
}

/** True for a comparison, and for `&&` and `||` after one. */
function isTest(node) {
  if (node?.type === 'BinaryExpression') return Object.hasOwn(comparisons, node.operator)
  return node?.type === 'LogicalExpression' && node.operator !== '??' && isTest(node.left)
}

function swapCase(text) {
  return text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase()
}

function span({ start, end }) {
  return { start, end }
}

function spanOf(nodes, to) {
  return { start: nodes[0].start, end: nodes.at(-1).end, to }
}

function length({ start, end }) {
  return end - start
}
