import type { Pool } from 'pg'
import type { Bindings } from '../ir/ir.ts'
import type { RemoteJoin } from '../plan/remote/sent-field.ts'
import type { Exchange } from './remote-reply.ts'

/** What one operation asks remote servers with. */
export type RemoteContext = {
  exchange: Exchange
  bindings: Bindings
  /** To the source, for rows that relationships lead to. */
  pool: Pool
  /** The name that the request gives its operation. */
  operationName: string | null
  /** The plan's remote relationships of rows. */
  joins: readonly RemoteJoin[]
  /** Runs it when not too many others of the operation are running. */
  inTurn<T>(act: () => Promise<T>): Promise<T>
}
