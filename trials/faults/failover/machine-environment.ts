import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { z } from 'zod'

/** The passwords that the database machines share. */
export type ClusterPasswords = { superuser: string; replication: string; restApi: string }

const FILE = 'ops/failover/database.env'

/** The variables of the file that name its machine and its address. */
const MachineVariables = z.object({ PATRONI_NAME: z.string(), ETCD_LISTEN_PEER_URLS: z.url() })

/** Returns a machine's variables: those of ops/failover/database.env, with the machine's name, address and passwords. */
export function createMachineEnvironment(
  machine: { name: string; address: string },
  passwords: ClusterPasswords,
): Record<string, string> {
  const variables = z.record(z.string(), z.string()).parse(parseEnv(readFileSync(FILE, 'utf8')))
  const { PATRONI_NAME: name, ETCD_LISTEN_PEER_URLS: listenUrl } = MachineVariables.parse(variables)
  const { hostname: address } = new URL(listenUrl)
  const machineValues = Object.entries(variables).map(([variable, value]) => {
    // A list of all machines is the same on every machine.
    if (value.includes(',')) return [variable, value]
    return [variable, value.replace(name, machine.name).replace(address, machine.address)]
  })
  return {
    ...Object.fromEntries(machineValues),
    PATRONI_SUPERUSER_PASSWORD: passwords.superuser,
    PATRONI_REPLICATION_PASSWORD: passwords.replication,
    PATRONI_RESTAPI_PASSWORD: passwords.restApi,
  }
}
