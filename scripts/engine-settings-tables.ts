import { readFileSync, writeFileSync } from 'node:fs'
import type { z } from 'zod'
import {
  COMMAND_LINE_VARIABLES,
  HASURA_ONLY_VARIABLES,
} from '../packages/engine/config/hasura-variables.ts'
import { settingMeaning, settingVariables } from '../packages/engine/config/setting.ts'
import { SETTINGS_BY_TOPIC } from '../packages/engine/config/settings.ts'
import { markdownTable } from './markdown-table.ts'

const FILE = 'packages/engine/docs/settings.md'
const BEGIN = '<!-- settings: made by `npm run configuration` -->'
const END = '<!-- end of settings -->'

/** Replaces the tables in packages/engine/docs/settings.md with tables from the code. */
export function withSettingsTables(document: string): string {
  const [before = '', tablesAndEnd = ''] = document.split(BEGIN)
  const [, after = ''] = tablesAndEnd.split(END)
  return `${before}${BEGIN}\n\n${settingsTables()}\n\n${END}${after}`
}

function settingsTables(): string {
  const topics = Object.entries(SETTINGS_BY_TOPIC).map(([topic, settings]) => {
    const rows = Object.values(settings).map(settingRow)
    return `## ${topic}\n\n${markdownTable(['variable', 'default', 'meaning'], rows)}`
  })
  return [
    ...topics,
    `## The command line\n\n${namesTable('meaning', COMMAND_LINE_VARIABLES)}`,
    `## Variables of Hasura without effect\n\n${namesTable('why, or what to do', HASURA_ONLY_VARIABLES)}`,
  ].join('\n\n')
}

function settingRow(schema: z.ZodType): string[] {
  const [variable = '', formerName] = settingVariables(schema)
  const former = formerName ? ` (formerly ${codeCell(formerName)})` : ''
  return [`${codeCell(variable)}${former}`, defaultCell(schema), settingMeaning(schema)]
}

function defaultCell(schema: z.ZodType): string {
  const parsed = schema.safeParse(undefined)
  if (!parsed.success) return '**required**'
  const { data } = parsed
  if (data === Number.POSITIVE_INFINITY) return 'no limit'
  if (data === null || (Array.isArray(data) && data.length === 0)) return ''
  if (Array.isArray(data)) return codeCell(data.join(','))
  return codeCell(typeof data === 'object' ? JSON.stringify(data) : String(data))
}

function namesTable(title: string, texts: Readonly<Record<string, string>>): string {
  const rows = Object.entries(texts).map(([name, text]) => [codeCell(name), text])
  return markdownTable(['variable', title], rows)
}

function codeCell(text: string): string {
  return `\`${text}\``
}

if (import.meta.main) writeFileSync(FILE, withSettingsTables(readFileSync(FILE, 'utf8')))
