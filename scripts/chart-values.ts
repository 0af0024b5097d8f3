import { readFileSync, writeFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { z } from 'zod'
import { markdownTable } from './markdown-table.ts'

const FILE = 'ops/kubernetes/README.md'
const BEGIN = '<!-- values: made by `npm run chart` -->'
const END = '<!-- end of values -->'

const Values = z.record(z.string(), z.unknown())

/** ops/kubernetes/README.md with its table of values made anew from values.yaml. */
export function withChartValues(document: string): string {
  const [before = '', rest = ''] = document.split(BEGIN)
  const [, after = ''] = rest.split(END)
  return `${before}${BEGIN}\n\n${chartValuesTable()}\n\n${END}${after}`
}

function chartValuesTable(): string {
  return markdownTable(
    ['value', 'default', 'meaning'],
    readChartValues(readFileSync('ops/kubernetes/values.yaml', 'utf8')).map(
      ({ path, value, meaning }) => [`\`${path.join('.')}\``, defaultCell(value), meaning],
    ),
  )
}

/** A longer one would make the table unreadable. */
const LONGEST_DEFAULT = 60

function defaultCell(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length > LONGEST_DEFAULT) return 'see `values.yaml`'
  return text === '' ? '' : `\`${text}\``
}

type ChartValue = { path: string[]; value: unknown; meaning: string }

/**
 * The values of a chart, each with the comment right above its key: what is inside of such a value belongs to it. A key without
 * a comment begins a section.
 */
export function readChartValues(text: string): ChartValue[] {
  const values = Values.parse(load(text))
  const found: ChartValue[] = []
  let comment: string[] = []
  let path: string[] = []
  let insideFrom = Number.POSITIVE_INFINITY
  for (const line of text.split('\n')) {
    const [, spaces = '', key] = /^( *)(\w+):/.exec(line) ?? []
    const depth = spaces.length / 2
    // Once a value has begun, its meaning is known, and it ends with the next key beside or above its own.
    if (key && depth < insideFrom) {
      path = [...path.slice(0, depth), key]
      const isValue = comment.length > 0
      insideFrom = isValue ? depth + 1 : Number.POSITIVE_INFINITY
      if (isValue) found.push({ path, value: valueAt(values, path), meaning: comment.join(' ') })
    }
    comment = /^ *#/.test(line) ? [...comment, line.replace(/^ *# */, '')] : []
  }
  return found
}

function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce((value, key) => Values.parse(value)[key], values)
}

if (import.meta.main) writeFileSync(FILE, withChartValues(readFileSync(FILE, 'utf8')))
