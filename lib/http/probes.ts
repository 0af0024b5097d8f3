/** The dependencies of a service, by name; each probe resolves when its dependency answers. */
export type Probes = Record<string, () => Promise<unknown>>

type Readiness = { ready: boolean; checks: Record<string, 'ok' | 'away'> }

/** Probes all dependencies at once; the service is ready when every one answers. */
export async function probe(probes: Probes): Promise<Readiness> {
  const results = await Promise.allSettled(Object.values(probes).map((ask) => ask()))
  const states = results.map(({ status }) => (status === 'fulfilled' ? 'ok' : 'away'))
  const names = Object.keys(probes)
  return {
    ready: states.every((state) => state === 'ok'),
    checks: Object.fromEntries(names.map((name, i) => [name, states[i] ?? 'away'])),
  }
}
