import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const FILES = '**/{*compose*.yml,*compose*.yaml,Dockerfile*,.env*}'

/** Settings that change what a schema or an answer has, written out in a file of compose, of Docker or of variables. */
const SETTING =
  /\b(HASURA_GRAPHQL_(?:EXPERIMENTAL_FEATURES|DEFAULT_NAMING_CONVENTION|STRINGIFY_NUMERIC_TYPES|INFER_FUNCTION_PERMISSIONS|ENABLE_REMOTE_SCHEMA_PERMISSIONS|V1_BOOLEAN_NULL_COLLAPSE))["']?\s*[:=]\s*["']?([a-z][\w, -]*)/g

/** The settings with which a project's author runs Hasura, as far as the repository says so; of several files the shortest path wins. */
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
