import { readFileSync, writeFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { z } from 'zod'
import { markdownTable } from './markdown-table.ts'

const FILE = 'ops/kubernetes/README.md'
const BEGIN = '<!-- values: made by `npm run chart` -->'
const END = '<!-- end of values -->'

const Values = z.record(z.string(), z.unknown())

/** Replaces the table of values in ops/kubernetes/README.md with a table from values.yaml. */
export function withChartValues(document: string): string {
  const [before = '', tableAndEnd = ''] = document.split(BEGIN)
  const [, after = ''] = tableAndEnd.split(END)
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

/** The longest default in the table, in characters; a longer one would make the table unreadable. */
const LONGEST_DEFAULT = 60

function defaultCell(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length > LONGEST_DEFAULT) return 'see `values.yaml`'
  return text === '' ? '' : `\`${text}\``
}

type ChartValue = { path: string[]; value: unknown; meaning: string }

/**
 * Reads the values of a chart. The comment directly above a key is the value's meaning; keys inside the value are part of
 * it. A key without a comment begins a section.
 */
export function readChartValues(text: string): ChartValue[] {
  const values = Values.parse(load(text))
  const chartValues: ChartValue[] = []
  let comment: string[] = []
  let path: string[] = []
  let insideFrom = Number.POSITIVE_INFINITY
  for (const line of text.split('\n')) {
    const [, spaces = '', key] = /^( *)(\w+):/.exec(line) ?? []
    const depth = spaces.length / 2
    // A deeper key is part of the current value.
    if (key && depth < insideFrom) {
      path = [...path.slice(0, depth), key]
      const isValue = comment.length > 0
      insideFrom = isValue ? depth + 1 : Number.POSITIVE_INFINITY
      if (isValue)
        chartValues.push({ path, value: valueAt(values, path), meaning: comment.join(' ') })
    }
    comment = /^ *#/.test(line) ? [...comment, line.replace(/^ *# */, '')] : []
  }
  return chartValues
}

function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce((value, key) => Values.parse(value)[key], values)
}

if (import.meta.main) writeFileSync(FILE, withChartValues(readFileSync(FILE, 'utf8')))
