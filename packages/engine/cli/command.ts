import module from 'node:module'

// What the package's program runs (program.mjs). What Node compiles for it is kept in the system's temporary folder:
// it must be asked to before the rest is imported. The first Node 22 could not do it.
module.enableCompileCache?.()
const { endWithReader } = await import('../../../local/process/broken-pipe.ts')
const { runCommandLine } = await import('./run-command-line.ts')
endWithReader()
process.exitCode = await runCommandLine(process.argv.slice(2), {
  variables: process.env,
  write: (text) => process.stdout.write(`${text}\n`),
  complain: (text) => process.stderr.write(`${text}\n`),
})
