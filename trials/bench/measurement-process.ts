import { requireValue } from '../../lib/runtime/require-value.ts'
import { measurements } from './measurements.ts'

/** Runs one measurement as a child process (see run-isolated.ts), and sends its figures to the parent process. */
const [name = '', size] = process.argv.slice(2)

// A signal must not kill the process directly: its exit handlers end the servers that it has started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
process.once('disconnect', () => process.exit(1))

const figures = await requireValue(measurements[name], `the measurement ${name}`).measure(
  size === 'large',
)
process.send?.(figures, () => process.exit())
