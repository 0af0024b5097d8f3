#!/usr/bin/env node
import { endWithReader } from '../../lib/process/broken-pipe.ts'
import { runCommandLine } from './run-command-line.ts'

// The program that `npx postgres-graphql-engine` starts.
endWithReader()
process.exitCode = await runCommandLine(process.argv.slice(2), {
  variables: process.env,
  write: (text) => process.stdout.write(`${text}\n`),
  complain: (text) => process.stderr.write(`${text}\n`),
})
