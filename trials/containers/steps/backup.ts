import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPersonRequest, PEOPLE_ROOT, verifyPerson } from '../../faults/verify-people.ts'
import { expectThat, type World } from './world.ts'

const PAGE = 'docs/operations/backup.md'

/** Counts the rows of each table of the platform, except the tables that change without requests. */
const COUNTS = `
  select relname || ' ' || (xpath('//n/text()',
    query_to_xml(format('select count(*) as n from public.%I', relname), false, true, '')))[1]::text
  from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    and relname not in ('cache', 'oidc_artifact', 'price', 'mail')
  order by relname`

/**
 * Backs up and restores with the commands of docs/operations/backup.md, first on the same stack, then on an empty one. Afterwards each
 * table must have the same number of rows, and a person who was counted must not be counted again.
 */
export async function backUpAndRestore(world: World): Promise<string> {
  const { stack, baseUrl } = world
  const folder = mkdtempSync(join(tmpdir(), 'backup-'))
  const variables = { DUMP: join(folder, 'platform.dump') }
  const person = await createPersonRequest(PEOPLE_ROOT)
  expectThat((await verifyPerson(baseUrl, person)) === '200', 'a new person was rejected')
  const rows = await stack.sql(COUNTS)
  await stack.asDocumented(PAGE, 'back-up', variables)

  await stack.sql('delete from nullifier')
  await stack.asDocumented(PAGE, 'restore', variables)
  await expectRestored(world, rows, person)

  await stack.compose('down', '--volumes')
  await stack.asDocumented(PAGE, 'restore-elsewhere', variables)
  await expectRestored(world, rows, person)
  rmSync(folder, { recursive: true })
  const counts = rows.split('\n').map((line) => Number(line.split(' ')[1]))
  return `${counts.length} tables with ${counts.reduce((sum, n) => sum + n, 0)} rows, on the same machine and on an empty one`
}

type Person = Awaited<ReturnType<typeof createPersonRequest>>

async function expectRestored({ stack, baseUrl }: World, rows: string, person: Person) {
  const restoredRows = await stack.sql(COUNTS)
  expectThat(restoredRows === rows, `before: ${rows}\nafter: ${restoredRows}`)
  const outcome = await verifyPerson(baseUrl, person)
  expectThat(
    outcome === 'max_verifications_reached',
    `a person from the backup must get max_verifications_reached; got ${outcome}`,
  )
}
