import { execFile } from 'node:child_process'
import { z } from 'zod'
import { EngineError } from '../../errors.ts'
import { parseArgs } from '../../metadata-store/edit/parse-args.ts'
import type { AuthenticatedRequest } from '../http/authenticated-endpoint.ts'
import { type HttpReply, textReply } from '../http/endpoint.ts'
import { adminEndpoint } from './admin-endpoint.ts'

const DumpArgs = z.object({
  opts: z.array(z.string()),
  clean_output: z.boolean().default(false),
  source: z.string().default('default'),
})

/** POST /v1alpha1/pg_dump: returns the schema of a source as SQL. Needs `pg_dump` on this machine. */
export const pgDump = adminEndpoint(dumpSchema)

async function dumpSchema({
  body,
  services: { engine },
}: AuthenticatedRequest): Promise<HttpReply> {
  const { opts, clean_output, source } = parseArgs(DumpArgs, body, '$')
  const unsupported = opts.find((option) => !ALLOWED_OPTION.test(option))
  if (unsupported !== undefined) {
    throw new EngineError('not-supported', `option not supported: ${unsupported}`, {
      path: '$.opts',
    })
  }
  const sql = await runPgDump(opts, engine.schemaCache().source(source).connections.url)
  const reply = textReply(200, clean_output ? cleanDump(sql) : sql)
  return { ...reply, type: 'application/sql' }
}

/**
 * The options that callers may use: they choose the objects to dump, and the form of the SQL. Excludes options that
 * choose another database, or an output file.
 */
const ALLOWED_OPTION =
  /^(-[OxsacCS]|--(schema-only|data-only|no-owner|no-acl|no-privileges|if-exists|clean|inserts|column-inserts|no-comments|(exclude-)?(schema|table)(=.+)?)|-[nNtT].*|[^-].*)$/

const MAX_DUMP_BYTES = 256 * 1024 * 1024

/**
 * Runs `pg_dump`. The database's name comes first, so that `pg_dump` takes none of the caller's options as the name. The password
 * is in the environment, because the operating system's list of processes shows arguments.
 */
function runPgDump(opts: readonly string[], databaseUrl: string): Promise<string> {
  const { hostname, port, username, password, pathname, searchParams } = new URL(databaseUrl)
  const env = {
    // biome-ignore lint/style/noProcessEnv: the search path of programs comes from the system, not from the engine's settings
    PATH: process.env.PATH,
    PGHOST: searchParams.get('host') ?? hostname,
    PGPORT: port || '5432',
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGSSLMODE: searchParams.get('sslmode') ?? undefined,
  }
  const args = [`--dbname=${decodeURIComponent(pathname.slice(1))}`, ...opts]
  const limits = { env, maxBuffer: MAX_DUMP_BYTES, timeout: 60_000 }
  return new Promise((resolve, reject) => {
    execFile('pg_dump', args, limits, (cause, out, errorOutput) =>
      cause ? reject(failedDumpError(cause, errorOutput)) : resolve(out),
    )
  })
}

/** Creates the error that the caller gets. It does not contain the original error, because that quotes the command line. */
function failedDumpError({ code }: { code?: unknown }, errorOutput: string): EngineError {
  const missing = code === 'ENOENT'
  const message = missing ? 'pg_dump is not installed here' : 'error while executing pg_dump'
  return new EngineError('unexpected', message, { internal: missing ? undefined : errorOutput })
}

/** Removes from a dump the comments, and the statements that only a restore needs. */
function cleanDump(sql: string): string {
  const lines = sql.split('\n').filter((line) => !RESTORE_ONLY_LINE.test(line))
  return lines.join('\n').replaceAll(/\n{2,}/g, '\n')
}

const RESTORE_ONLY_LINE =
  /^(--.*|\\(un)?restrict .*|SET (statement_timeout|lock_timeout|idle_in_transaction_session_timeout|transaction_timeout|client_encoding|standard_conforming_strings|check_function_bodies|xmloption|client_min_messages|row_security|default_tablespace|default_with_oids|default_table_access_method) .*|SELECT pg_catalog\.set_config\(.*|CREATE SCHEMA public;|COMMENT ON SCHEMA public .*)$/
