import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'

/** Addresses for documentation (RFC 5737), which no real network has. */
const SUBNET = '192.0.2'
const BRIDGE = 'failover'
const NAMESPACE_FOLDER = '/run/netns'
const FORWARD_AT_ONCE = ['stp_state', '0', 'forward_delay', '0']

/** The machines' network: a switch (a bridge), and a cable (a veth pair) to each machine. */
export type Network = {
  /** Adds a machine: a network namespace of this name, with one address. */
  plugIn(name: string, address: string): void
  /** Makes the switch drop all packets from and to a machine. The machine's link stays up. */
  cut(name: string): void
  restore(name: string): void
  /** Removes the switch, the cables and the namespaces. */
  remove(): void
}

/** Returns an address of the network. The platform's services use that of the switch, which ends in 1. */
export function addressAt(last: number): string {
  return `${SUBNET}.${last}`
}

/** Creates the switch in this process's network and mount namespaces. Only root can do this. */
export function createNetwork(): Network {
  const names: string[] = []
  // `ip netns` keeps a file for each name. In this tmpfs, the names cannot collide, and no file is left behind.
  mkdirSync(NAMESPACE_FOLDER, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', NAMESPACE_FOLDER])
  runIp('link', 'set', 'lo', 'up')
  runIp('link', 'add', BRIDGE, 'type', 'bridge', ...FORWARD_AT_ONCE)
  runIp('address', 'add', `${addressAt(1)}/24`, 'dev', BRIDGE)
  runIp('link', 'set', BRIDGE, 'up')
  return {
    plugIn(name, address) {
      runIp('netns', 'add', name)
      names.push(name)
      runIp('link', 'add', portOf(name), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
      runIp('link', 'set', portOf(name), 'master', BRIDGE, 'up')
      configureInside(name, 'link', 'set', 'lo', 'up')
      configureInside(name, 'address', 'add', `${address}/24`, 'dev', 'eth0')
      configureInside(name, 'link', 'set', 'eth0', 'up')
    },
    cut: (name) => setPortState(name, 'disabled'),
    restore: (name) => setPortState(name, 'forwarding'),
    remove() {
      for (const name of names) runIp('netns', 'delete', name)
      runIp('link', 'delete', BRIDGE)
      execFileSync('umount', [NAMESPACE_FOLDER])
    },
  }
}

/** Returns the name of a machine's port at the switch. */
function portOf(name: string): string {
  return `to-${name}`
}

function setPortState(name: string, state: 'disabled' | 'forwarding'): void {
  const code = { disabled: '0', forwarding: '3' }[state]
  execFileSync('bridge', ['link', 'set', 'dev', portOf(name), 'state', code])
}

function configureInside(name: string, ...args: string[]): void {
  runIp('-n', name, ...args)
}

function runIp(...args: string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] })
}
