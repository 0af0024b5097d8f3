import { readFileSync, writeFileSync } from 'node:fs'
import type { z } from 'zod'
import { Environment, SignInEnvironment } from '../lib/config.ts'
import { markdownTable } from './markdown-table.ts'

const FILE = 'docs/operations.md'
const BEGIN = '<!-- configuration: made by `npm run configuration` -->'
const END = '<!-- end of configuration -->'

const SERVICES = { webhooks: Environment, oidc: SignInEnvironment }

/** docs/operations.md with its table of variables made anew from the code and .env.example. */
export function withConfigurationTable(document: string): string {
  const [before = '', rest = ''] = document.split(BEGIN)
  const [, after = ''] = rest.split(END)
  return `${before}${BEGIN}\n\n${table()}\n\n${END}${after}`
}

function table(): string {
  const rows = readExample().filter(({ name }) => servicesOf(name).length > 0)
  return markdownTable(
    ['variable', 'read by', 'default', 'meaning'],
    rows.map(({ name, value, comment }) => [
      code(name),
      servicesOf(name).join(', '),
      value === '' && isRequired(name) ? '**required**' : code(value),
      comment,
    ]),
  )
}

function servicesOf(name: string): string[] {
  return Object.entries(SERVICES).flatMap(([service, { shape }]) =>
    name in shape ? [service] : [],
  )
}

function isRequired(name: string): boolean {
  const shapes: Record<string, z.ZodType>[] = Object.values(SERVICES).map(({ shape }) => shape)
  return shapes.some((shape) => shape[name]?.safeParse(undefined).success === false)
}

function code(value: string): string {
  return value === '' ? '' : `\`${value}\``
}

type Row = { name: string; value: string; comment: string }

/** The variables in .env.example, each with the comment right above it. */
function readExample(): Row[] {
  const rows: Row[] = []
  let comment: string[] = []
  for (const line of readFileSync('.env.example', 'utf8').split('\n')) {
    const [, name, value = ''] = /^([A-Z_\d]+)=(.*)$/.exec(line) ?? []
    if (name) rows.push({ name, value, comment: comment.join(' ').replaceAll('|', '\\|') })
    comment = line.startsWith('#') ? [...comment, line.replace(/^# */, '')] : []
  }
  return rows
}

if (import.meta.main) writeFileSync(FILE, withConfigurationTable(readFileSync(FILE, 'utf8')))
