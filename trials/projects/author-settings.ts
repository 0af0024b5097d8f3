import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const FILES = '**/{*compose*.yml,*compose*.yaml,Dockerfile*,.env*}'

/** Matches a setting that changes schemas or responses, in the syntax of compose files, Dockerfiles and `.env` files. */
const SETTING =
  /\b(HASURA_GRAPHQL_(?:EXPERIMENTAL_FEATURES|DEFAULT_NAMING_CONVENTION|STRINGIFY_NUMERIC_TYPES|INFER_FUNCTION_PERMISSIONS|ENABLE_REMOTE_SCHEMA_PERMISSIONS|V1_BOOLEAN_NULL_COLLAPSE))["']?\s*[:=]\s*["']?([a-z][\w, -]*)/g

/** Reads from the repository the settings that the author runs Hasura with. The file with the shortest path wins. */
export function authorSettings(checkout: string): Record<string, string> {
  const files = globSync(FILES, {
    cwd: checkout,
    exclude: (path) => ['node_modules', '.git'].includes(basename(path)),
  })
  const settings = files
    .sort((a, b) => b.length - a.length)
    .flatMap((file) => [...readFileSync(join(checkout, file), 'utf8').matchAll(SETTING)])
    .map(([, name = '', value = '']) => [name, value.trim()] as const)
  return Object.fromEntries(settings)
}
