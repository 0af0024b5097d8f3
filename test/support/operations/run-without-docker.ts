import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { runToEnd } from '../docs/programs.ts'

/**
 * Runs `exec` in the container of PostgreSQL: the words after the service are a program with its arguments. Ignores other
 * commands, such as `stop` and `up`.
 */
const DOCKER = `#!/bin/sh
[ "$2" = exec ] || exit 0
while [ "$1" != postgres ]; do shift; done
shift
exec "$@"
`

/**
 * Runs documented commands for compose on a machine without Docker, in the root of this repository. A program with the name
 * `docker` runs the commands for PostgreSQL's container with the programs of this machine.
 *
 * @param databaseUrl the database that PostgreSQL's programs connect to
 * @param programs the folder of PostgreSQL's programs; by default those of PATH
 */
export function runWithoutDocker(
  commands: string,
  databaseUrl: string,
  { programs = '', ...variables }: Record<string, string> = {},
) {
  const folder = temporaryFolder('docker-')
  writeFileSync(join(folder, 'docker'), DOCKER, { mode: 0o755 })
  const { hostname, port, password, pathname } = new URL(databaseUrl)
  const env = {
    PATH: [folder, programs, process.env.PATH].filter(Boolean).join(':'),
    PGHOST: hostname,
    PGPORT: port,
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: pathname.slice(1),
    ...variables,
  }
  return runToEnd(['bash', '--norc', '-c', commands], { env })
}
