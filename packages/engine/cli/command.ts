import module from 'node:module'

// program.mjs imports this module. Node's compile cache applies only to later imports, so the imports below are dynamic. The
// cache is in the system's temporary folder. The first releases of Node 22 have none.
module.enableCompileCache?.()
const { exitOnBrokenPipe: endWithReader } = await import('../../../local/process/broken-pipe.ts')
const { runCommandLine } = await import('./run-command-line.ts')
endWithReader()
process.exitCode = await runCommandLine(process.argv.slice(2), {
  variables: process.env,
  write: (text) => process.stdout.write(`${text}\n`),
  complain: (text) => process.stderr.write(`${text}\n`),
})
