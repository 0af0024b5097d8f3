import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { z } from 'zod'

/** The passwords that the database machines share. */
export type ClusterPasswords = { superuser: string; replication: string; restApi: string }

const FILE = 'ops/failover/database.env'

/** What the file has for one machine, which is replaced for another. */
const OfOneMachine = z.object({ PATRONI_NAME: z.string(), ETCD_LISTEN_PEER_URLS: z.url() })

/** The variables of a database machine: those that an operator copies (ops/failover/database.env), with its own values. */
export function machineEnvironment(
  machine: { name: string; address: string },
  passwords: ClusterPasswords,
): Record<string, string> {
  const variables = z.record(z.string(), z.string()).parse(parseEnv(readFileSync(FILE, 'utf8')))
  const { PATRONI_NAME: name, ETCD_LISTEN_PEER_URLS: listens } = OfOneMachine.parse(variables)
  const { hostname: address } = new URL(listens)
  const own = Object.entries(variables).map(([variable, value]) => {
    // What lists all machines is the same on each.
    if (value.includes(',')) return [variable, value]
    return [variable, value.replace(name, machine.name).replace(address, machine.address)]
  })
  return {
    ...Object.fromEntries(own),
    PATRONI_SUPERUSER_PASSWORD: passwords.superuser,
    PATRONI_REPLICATION_PASSWORD: passwords.replication,
    PATRONI_RESTAPI_PASSWORD: passwords.restApi,
  }
}
