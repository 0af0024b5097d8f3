import { requireValue } from '../../../lib/runtime/require-value.ts'
import { Target } from '../../faults/attack-target.ts'
import { neighbours } from '../../faults/neighbours.ts'

/** Does what a neighbour does until it is told to stop, in a process of its own: this must not delay who measures. */
const [name = '', target = ''] = process.argv.slice(2)
const stop = new AbortController()
process.once('message', () => stop.abort())
process.once('disconnect', () => process.exit())
const use = requireValue(neighbours[name], `the neighbour "${name}"`)
process.send?.('begun')
await use(Target.parse(JSON.parse(target)), stop.signal)
process.exit()
