import { measurements } from './measurements.ts'

/** One measurement in a process of its own (see isolated.ts): sends its rows to whoever started it. */
const [name = '', size] = process.argv.slice(2)

// Servers that it has started end with it; so that they do, it ends by itself when it is told to.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
process.once('disconnect', () => process.exit(1))

const rows = await measurements[name]?.measure(size === 'large')
process.send?.(rows ?? [], () => process.exit())
