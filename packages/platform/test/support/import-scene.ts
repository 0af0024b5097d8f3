import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { temporaryFolder } from '../../../../local/process/temporary-folder.ts'
import { type Project, serveProject } from '../../../../test/support/hasura/project.ts'
import { makeTeam, teamRowId } from '../../../../test/support/hasura/team-rows.ts'
import { runImport } from './run-import.ts'

export const APP = 'app_0123456789abcdef0123456789abcdef'
export const TEAM = teamRowId('mine', 'team')
/** The lines of an app and its actions. */
export const HEAD: [object, ...object[]] = [
  { type: 'app', id: APP, name: 'Votes', is_staging: false },
  { type: 'action', action: 'vote', name: 'Vote', description: 'a\nb', max_verifications: 1 },
  { type: 'action', action: 'claim', max_verifications: 3, status: 'inactive' },
  { type: 'action', action: 'visit', max_verifications: 0 },
  { type: 'action', action: '', name: 'Sign in', max_verifications: 0 },
]

const folder = temporaryFolder('import-')
/** A project with two teams. */
export let project: Project

/** Sets the scene for the calling file. */
export function setTheImportScene(): void {
  beforeAll(async () => {
    project = await serveProject()
    await project.sql(
      "insert into payment_chain values ('worldchain', 'a test', '[\"USDCE\", \"WLD\"]', 'infinity')",
    )
    await makeTeam(project, 'mine')
    await makeTeam(project, 'theirs')
  })
  afterAll(() => project.stop())
}

/** Returns a canonical nullifier. */
export function nullifierOf(n: number): string {
  return `0x${n.toString(16).padStart(64, '0')}`
}

export const PEOPLE: object[] = [
  {
    type: 'person',
    action: 'vote',
    nullifier_hash: nullifierOf(1),
    created_at: '2024-01-02T03:04:05Z',
  },
  { type: 'person', action: 'vote', nullifier_hash: '0x2' },
  { type: 'person', action: 'claim', nullifier_hash: nullifierOf(1), uses: 2 },
  { type: 'person', action: 'claim', nullifier_hash: nullifierOf(3), uses: 3 },
  { type: 'person', action: 'visit', nullifier_hash: nullifierOf(4), uses: 70 },
  { type: 'person', action: '', nullifier_hash: nullifierOf(5) },
]

/** Writes a file of these lines, which may be texts. */
function writeFile(lines: readonly (object | string)[]): string {
  const path = join(folder, `${crypto.randomUUID()}.jsonl`)
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
  writeFileSync(path, texts.map((text) => `${text}\n`).join(''))
  return path
}

/** Returns the lines of a whole file. */
export function withEnd(people: readonly object[]): object[] {
  return [...HEAD, ...people, { type: 'end', people: people.length }]
}

/** Imports a file of these lines with the command. */
export async function importLines(lines: readonly (object | string)[], ...args: string[]) {
  const path = writeFile(lines)
  const options = [
    '--app',
    APP,
    '--team',
    TEAM,
    '--file',
    path,
    '--graphql',
    `${project.url}/v1/graphql`,
  ]
  const result = await runImport([...options, ...args], {
    HASURA_GRAPHQL_ADMIN_SECRET: project.headers['x-hasura-admin-secret'] ?? '',
  })
  return { ...result, error: result.error.replaceAll(path, 'FILE') }
}
