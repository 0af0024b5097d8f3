import { readFileSync, writeFileSync } from 'node:fs'
import type { z } from 'zod'
import { Environment, SignInEnvironment } from '../lib/runtime/config.ts'
import { COMPOSE_VARIABLES } from '../lib/runtime/unknown-variables.ts'
import { markdownTable } from './markdown-table.ts'

const FILE = 'docs/operations/configuration.md'
const BEGIN = '<!-- configuration: made by `npm run configuration` -->'
const END = '<!-- end of configuration -->'

const SERVICES = { webhooks: Environment, oidc: SignInEnvironment }

/** Replaces the table of variables in docs/operations/configuration.md with a table from the code and .env.example. */
export function withConfigurationTable(document: string): string {
  const [before = '', tableAndEnd = ''] = document.split(BEGIN)
  const [, after = ''] = tableAndEnd.split(END)
  return `${before}${BEGIN}\n\n${variablesTable()}\n\n${END}${after}`
}

function variablesTable(): string {
  const rows = readExample().filter(({ name }) => readersOf(name).length > 0)
  return markdownTable(
    ['variable', 'read by', 'default', 'meaning'],
    rows.map(({ name, value, comment }) => [
      codeCell(name),
      readersOf(name).join(', '),
      value === '' && isRequiredVariable(name) ? '**required**' : codeCell(value),
      comment,
    ]),
  )
}

/** Returns the services that read a variable, or `compose` for a variable that only docker-compose.yml reads. */
function readersOf(name: string): string[] {
  if (COMPOSE_VARIABLES.includes(name)) return ['compose']
  return Object.entries(SERVICES).flatMap(([service, { shape }]) =>
    name in shape ? [service] : [],
  )
}

function isRequiredVariable(name: string): boolean {
  if (COMPOSE_VARIABLES.includes(name))
    return readFileSync('docker-compose.yml', 'utf8').includes(`\${${name}:?`)
  const shapes: Record<string, z.ZodType>[] = Object.values(SERVICES).map(({ shape }) => shape)
  return shapes.some((shape) => shape[name]?.safeParse(undefined).success === false)
}

function codeCell(value: string): string {
  return value === '' ? '' : `\`${value}\``
}

type Row = { name: string; value: string; comment: string }

/** Reads the variables in .env.example, each with the comment directly above it. */
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
