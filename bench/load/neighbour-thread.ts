import { parentPort } from 'node:worker_threads'
import { z } from 'zod'
import { neighbours } from '../../faults/neighbours.ts'
import { present } from '../../lib/present.ts'

const Target = z.object({ baseUrl: z.string(), apiKey: z.string(), newAccount: z.string() })

/** Does what a neighbour does until it is told to stop, on a thread of its own: this must not delay who measures. */
const [name = '', target = ''] = process.argv.slice(2)
const stop = new AbortController()
parentPort?.once('message', () => stop.abort())
const use = present(neighbours[name], `the neighbour "${name}"`)
await use(Target.parse(JSON.parse(target)), stop.signal)
parentPort?.close()
