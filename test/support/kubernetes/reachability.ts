import { z } from 'zod'
import type { Rendered } from './helm.ts'

const Labels = z.record(z.string(), z.string())
const Selector = z.strictObject({ matchLabels: Labels.default({}) })
const Peer = z.strictObject({
  podSelector: Selector.optional(),
  namespaceSelector: Selector.optional(),
  ipBlock: z.strictObject({ cidr: z.string(), except: z.array(z.string()).default([]) }).optional(),
})
const Ports = z.array(z.object({ protocol: z.enum(['TCP', 'UDP']), port: z.number() })).min(1)
const Policy = z.strictObject({
  policyTypes: z.tuple([z.literal('Ingress'), z.literal('Egress')]),
  podSelector: Selector,
  ingress: z.array(z.strictObject({ from: z.array(Peer).min(1), ports: Ports })).default([]),
  egress: z.array(z.strictObject({ to: z.array(Peer).min(1), ports: Ports })).default([]),
})

/** A pod of this or another namespace, or a host outside the cluster. */
export type Place =
  | { labels: Record<string, string>; namespace?: Record<string, string> }
  | { address: string }

/**
 * Returns a function that reports whether the network policies allow a connection. The policies of both ends must
 * allow it.
 */
export function reachability(objects: readonly Rendered[]) {
  const policies = objects
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ spec }) => Policy.parse(spec))

  return (from: Place, to: Place, port: number): boolean =>
    isAllowed(from, to, port, outRules) && isAllowed(to, from, port, inRules)

  function isAllowed(
    subject: Place,
    remote: Place,
    port: number,
    rulesOf: typeof outRules,
  ): boolean {
    if (!('labels' in subject) || subject.namespace) return true
    const activePolicies = policies.filter(({ podSelector }) =>
      selects(podSelector, subject.labels),
    )
    if (activePolicies.length === 0) return true
    const rules = activePolicies.flatMap(rulesOf).filter(({ ports }) => ports.includes(port))
    return rules.some(({ peers }) => peers.some((peer) => includes(peer, remote)))
  }
}

type Policy = z.infer<typeof Policy>

function outRules({ egress }: Policy) {
  return egress.map(({ to, ports }) => ({ peers: to, ports: ports.map(({ port }) => port) }))
}

function inRules({ ingress }: Policy) {
  return ingress.map(({ from, ports }) => ({ peers: from, ports: ports.map(({ port }) => port) }))
}

type Peer = z.infer<typeof Peer>

function includes({ podSelector, namespaceSelector, ipBlock }: Peer, place: Place): boolean {
  // A pod's address is unknown here. A block without exceptions includes pods. Other blocks except the private networks, in
  // which pods are.
  if (ipBlock) return 'address' in place ? isWithin(place.address, ipBlock) : isOpen(ipBlock)
  if (!('labels' in place)) return false
  const isNamespace = namespaceSelector
    ? selects(namespaceSelector, place.namespace ?? {})
    : !place.namespace
  return isNamespace && selects(podSelector ?? { matchLabels: {} }, place.labels)
}

type Block = NonNullable<Peer['ipBlock']>

function isOpen({ except }: Block): boolean {
  return except.length === 0
}

function isWithin(address: string, { cidr, except }: Block): boolean {
  return inBlock(address, cidr) && !except.some((each) => inBlock(address, each))
}

function inBlock(address: string, cidr: string): boolean {
  const [base = '', bits] = cidr.split('/')
  const shift = 2 ** (32 - Number(bits))
  return Math.floor(toNumber(address) / shift) === Math.floor(toNumber(base) / shift)
}

function toNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
}

function selects({ matchLabels }: z.infer<typeof Selector>, labels: Record<string, string>) {
  return Object.entries(matchLabels).every(([name, value]) => labels[name] === value)
}
