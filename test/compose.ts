import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'

const Service = z.looseObject({
  image: z.string().optional(),
  build: z.object({ context: z.string(), target: z.string() }).optional(),
  environment: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  user: z.string().optional(),
})

const Compose = z.looseObject({ services: z.record(z.string(), Service) })

export type ComposeService = z.infer<typeof Service>

const text = readFileSync('docker-compose.yml', 'utf8')

/** docker-compose.yml as it is written, with its anchors followed. */
export const compose = Compose.parse(parse(text, { merge: true }))

/** Every variable that the file takes from `.env`: as `${NAME}`, or passed on by its name alone. */
export function variablesOf({ services }: typeof compose): Set<string> {
  const interpolated = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name ?? '')
  const passed = Object.values(services).flatMap(({ environment }) =>
    environment.filter((entry) => !entry.includes('=')),
  )
  return new Set([...interpolated, ...passed])
}

/** What a container's environment is, with these values in `.env`. */
export function environmentOf(
  service: ComposeService | undefined,
  env: Record<string, string>,
): Record<string, string> {
  const pairs = (service?.environment ?? []).map((entry) => {
    const [name = '', value = env[name] ?? ''] = entry.split(/=(.*)/s)
    return [name, interpolate(value, env)]
  })
  return Object.fromEntries(pairs)
}

/** `${NAME}`, `${NAME:-default}`, `${NAME:?message}`, and `$$` for a dollar. */
export function interpolate(value: string, env: Record<string, string>): string {
  return value.replaceAll(/\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}/g, (found, name, kind, rest) =>
    found === '$$' ? '$' : env[name] || missing(name, kind, rest),
  )
}

function missing(name: string, kind: string | undefined, rest: string | undefined): string {
  if (kind === '-') return rest ?? ''
  throw new Error(`${name} is not set`)
}
