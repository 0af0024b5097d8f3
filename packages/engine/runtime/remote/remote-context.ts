import type { Bindings } from '../../compiler/ir/ir.ts'
import type { RemoteJoin } from '../../compiler/plan/sent-field.ts'
import type { ConnectionsTo } from '../database/source-connections.ts'
import type { Exchange } from './remote-reply.ts'

/** What one operation asks remote servers with. */
export type RemoteContext = {
  exchange: Exchange
  bindings: Bindings
  /** For rows that relationships lead to. */
  connectionsTo: ConnectionsTo
  /** The name that the request gives its operation. */
  operationName: string | null
  /** The plan's remote relationships of rows. */
  joins: readonly RemoteJoin[]
  /** Whether data that a server answers next to errors is the answer. */
  dataFirst: boolean
  /** Runs it when not too many others of the operation are running. */
  inTurn<T>(act: () => Promise<T>): Promise<T>
}
