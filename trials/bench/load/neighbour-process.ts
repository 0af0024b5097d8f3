import { requireValue } from '../../../lib/runtime/require-value.ts'
import { Target } from '../../faults/attack-target.ts'
import { neighbours } from '../../faults/neighbours.ts'

/** Runs a neighbour's load until a message stops it. A separate process, so that the load does not delay the measurement. */
const [name = '', target = ''] = process.argv.slice(2)
const abortController = new AbortController()
process.once('message', () => abortController.abort())
process.once('disconnect', () => process.exit())
const runLoad = requireValue(neighbours[name], `the neighbour "${name}"`)
process.send?.('begun')
await runLoad(Target.parse(JSON.parse(target)), abortController.signal)
process.exit()
