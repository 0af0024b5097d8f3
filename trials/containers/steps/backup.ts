import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPersonRequest, PEOPLE_ROOT, verifyPerson } from '../../faults/verify-people.ts'
import { expectThat, type World } from './world.ts'

const PAGE = 'docs/operations/backup.md'

/** How many rows each table of ours has, but those that change by themselves. */
const COUNTS = `
  select relname || ' ' || (xpath('//n/text()',
    query_to_xml(format('select count(*) as n from public.%I', relname), false, true, '')))[1]::text
  from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    and relname not in ('cache', 'oidc_artifact', 'price', 'mail')
  order by relname`

/**
 * Backs up and restores as docs/operations/backup.md says, the second time on a machine that has nothing: each table has as many
 * rows as before, and who was counted is not counted again.
 */
export async function backUpAndRestore(world: World): Promise<string> {
  const { stack, baseUrl } = world
  const folder = mkdtempSync(join(tmpdir(), 'backup-'))
  const variables = { DUMP: join(folder, 'platform.dump') }
  const person = await createPersonRequest(PEOPLE_ROOT)
  expectThat((await verifyPerson(baseUrl, person)) === '200', 'a person is not verified')
  const rows = await stack.sql(COUNTS)
  await stack.asDocumented(PAGE, 'back-up', variables)

  await stack.sql('delete from nullifier')
  await stack.asDocumented(PAGE, 'restore', variables)
  await expectRestored(world, rows, person)

  await stack.compose('down', '--volumes')
  await stack.asDocumented(PAGE, 'restore-elsewhere', variables)
  await expectRestored(world, rows, person)
  rmSync(folder, { recursive: true })
  const all = rows.split('\n').map((line) => Number(line.split(' ')[1]))
  return `${all.length} tables with ${all.reduce((sum, n) => sum + n, 0)} rows, on the same machine and on an empty one`
}

type Person = Awaited<ReturnType<typeof createPersonRequest>>

async function expectRestored({ stack, baseUrl }: World, rows: string, person: Person) {
  const now = await stack.sql(COUNTS)
  expectThat(now === rows, `before: ${rows}\nafter: ${now}`)
  const told = await verifyPerson(baseUrl, person)
  expectThat(told === 'max_verifications_reached', `who was counted before is told ${told}`)
}
