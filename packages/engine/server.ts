import { runServer } from './server/serve-engine.ts'

try {
  await runServer(process.env)
  process.exit(0)
} catch (error) {
  const reason = error instanceof Error ? error.message || error.name : String(error)
  process.stderr.write(`The engine cannot start. ${reason}\n`)
  process.exit(1)
}
