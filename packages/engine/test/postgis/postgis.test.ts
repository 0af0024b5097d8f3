import { afterAll, beforeAll, describe } from 'vitest'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { findPostgis, startPostgis } from '../../../../test/support/postgis.ts'
import { runCases } from '../support/run-cases.ts'

const programs = findPostgis()

if (programs === null)
  process.stdout.write('PostGIS is not tested: install postgresql-15-postgis-3 (Debian).\n')

describe.runIf(programs !== null)('PostGIS columns work on a PostgreSQL with PostGIS', () => {
  let postgis: Awaited<ReturnType<typeof startPostgis>>

  beforeAll(async () => {
    postgis = await startPostgis(requireValue(programs, 'the programs of PostgreSQL'))
  })
  afterAll(() => postgis?.stop())

  runCases(import.meta.dirname, () => postgis.makeDatabase())
})
