import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { createRoles } from '../../../packages/platform/parts/database-roles.ts'
import { migrationTexts } from '../../../packages/platform/parts/migration-texts.ts'
import { provideChainTemplate } from '../chain-template.ts'

/**
 * Prepares `npm run test:hasura`: creates the template of the tests' databases on Hasura's
 * PostgreSQL, and removes the template and its roles afterwards. DATABASE_URL is that PostgreSQL's
 * address for a superuser. Without the variable, only the engine's cases run, which need no template.
 */
export default async function setup(project: TestProject) {
  const { DATABASE_URL: url = '' } = process.env
  project.provide('postgresUrl', url)
  project.provide('rolePasswords', { hasura: '', signIn: '' })
  project.provide('platformTemplate', '')
  if (!url) return
  await provideChainTemplate(project)
  const template = `test_platform_${randomUUID().replaceAll('-', '')}`
  const rolePasswords = { hasura: randomUUID(), signIn: randomUUID() }
  await requireOwnRoles(url)
  await run(url, `create database ${template} template template0 encoding 'UTF8'`)
  const at = Object.assign(new URL(url), { pathname: `/${template}` }).href
  const { hasuraUrl } = await createRoles(at, rolePasswords)
  for (const migration of migrationTexts()) await run(hasuraUrl, migration)
  project.provide('rolePasswords', rolePasswords)
  project.provide('platformTemplate', template)
  return async () => {
    await run(url, `drop database ${template} with (force)`)
    await run(url, 'drop role hasura')
    await run(url, 'drop role sign_in')
  }
}

/** Checks that the roles do not exist, because the tests create and remove them. */
async function requireOwnRoles(url: string): Promise<void> {
  const { rowCount } = await run(url, "select from pg_roles where rolname in ('hasura', 'sign_in')")
  if (rowCount !== 0)
    throw new Error(
      'The PostgreSQL of DATABASE_URL has a role hasura or sign_in: use a PostgreSQL only for the tests.',
    )
}

async function run(url: string, statement: string) {
  const client = new Client(url)
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}
