import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'

/** Addresses for documentation (RFC 5737), which no real network has. */
const SUBNET = '192.0.2'
const BRIDGE = 'failover'
const NAMES = '/run/netns'
const CAREFREE = ['stp_state', '0', 'forward_delay', '0']

/** The network of the machines: a switch (a bridge), with a cable (a veth pair) to each. */
export type Network = {
  /** Adds a machine: a network namespace of this name, with one address. */
  plugIn(name: string, address: string): void
  /** Lets the switch drop what comes from a machine, and what goes to it. The machine sees no cable pulled. */
  cut(name: string): void
  restore(name: string): void
  /** Removes the switch, the cables and the namespaces. */
  remove(): void
}

/** The address of a machine; 1 is the switch itself, where the platform's services run. */
export function addressAt(last: number): string {
  return `${SUBNET}.${last}`
}

/** Makes the switch in the namespaces of network and mounts of this process. It takes root. */
export function makeNetwork(): Network {
  const names: string[] = []
  // The names of the namespaces are files, which would be left behind, and might be in use.
  mkdirSync(NAMES, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', NAMES])
  ip('link', 'set', 'lo', 'up')
  ip('link', 'add', BRIDGE, 'type', 'bridge', ...CAREFREE)
  ip('address', 'add', `${addressAt(1)}/24`, 'dev', BRIDGE)
  ip('link', 'set', BRIDGE, 'up')
  return {
    plugIn(name, address) {
      ip('netns', 'add', name)
      names.push(name)
      ip('link', 'add', portOf(name), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
      ip('link', 'set', portOf(name), 'master', BRIDGE, 'up')
      inside(name, 'link', 'set', 'lo', 'up')
      inside(name, 'address', 'add', `${address}/24`, 'dev', 'eth0')
      inside(name, 'link', 'set', 'eth0', 'up')
    },
    cut: (name) => setPortState(name, 'disabled'),
    restore: (name) => setPortState(name, 'forwarding'),
    remove() {
      for (const name of names) ip('netns', 'delete', name)
      ip('link', 'delete', BRIDGE)
      execFileSync('umount', [NAMES])
    },
  }
}

/** The end of a machine's cable that is at the switch. */
function portOf(name: string): string {
  return `to-${name}`
}

function setPortState(name: string, state: 'disabled' | 'forwarding'): void {
  const code = { disabled: '0', forwarding: '3' }[state]
  execFileSync('bridge', ['link', 'set', 'dev', portOf(name), 'state', code])
}

function inside(name: string, ...args: string[]): void {
  ip('-n', name, ...args)
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] })
}
