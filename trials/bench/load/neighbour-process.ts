import { requireValue } from '../../../lib/runtime/require-value.ts'
import { Target } from '../../faults/attack-target.ts'
import { neighbours } from '../../faults/neighbours.ts'

/** Does what a neighbour does until it is told to stop, in a process of its own: this must not delay who measures. */
const [name = '', target = ''] = process.argv.slice(2)
const abortController = new AbortController()
process.once('message', () => abortController.abort())
process.once('disconnect', () => process.exit())
const runLoad = requireValue(neighbours[name], `the neighbour "${name}"`)
process.send?.('begun')
await runLoad(Target.parse(JSON.parse(target)), abortController.signal)
process.exit()
