import type { Bindings } from '../../compiler/ir/ir.ts'
import type { RemoteJoin } from '../../compiler/plan/sent-field.ts'
import type { ConnectionsTo } from '../database/source-connections.ts'
import type { Exchange } from './remote-reply.ts'

/** The context of an operation's requests to remote servers. */
export type RemoteContext = {
  exchange: Exchange
  bindings: Bindings
  /** The connections for the rows of relationships. */
  connectionsTo: ConnectionsTo
  /** The name of the operation in the caller's request. */
  operationName: string | null
  /** The plan's remote relationships of rows. */
  joins: readonly RemoteJoin[]
  /** True if data wins over errors in a server's response that has both. */
  dataFirst: boolean
  /** Runs a request. The request waits while the operation has its maximum number of running requests. */
  runLimited<T>(act: () => Promise<T>): Promise<T>
}
