import { CORE_SCHEMA, defineScalarTag, loadAll, mergeTag, YAMLException } from 'js-yaml'

/** The unquoted form, `!include file`. The CLI writes the quoted form. */
const INCLUDE_TAG = defineScalarTag('!include', {
  resolve: (file) => `!include ${file}`,
  identify: () => false,
})
const SCHEMA = CORE_SCHEMA.withTags(INCLUDE_TAG, mergeTag)

/**
 * Parses the first document of a YAML text as Hasura's CLI does with `gopkg.in/yaml.v3`. Merge keys (`<<`) are merged.
 * Text in brackets or quotes may be indented less than its key. A text may be empty or consist of comments.
 *
 * @throws YAMLException with the line
 */
export function readYaml(text: string): unknown {
  const lines = text.split('\n')
  const deepest = Math.max(...lines.map((line) => line.length - line.trimStart().length))
  const indented = new Set<number>()
  for (;;) {
    try {
      return loadAll(lines.join('\n'), { schema: SCHEMA })[0]
    } catch (error) {
      const line = shallowLine(error)
      if (line === null || indented.has(line)) throw error
      // Indentation has no meaning here, but js-yaml requires it, as YAML 1.2 does.
      indented.add(line)
      lines[line] = `${' '.repeat(deepest + 1)}${lines[line]?.trimStart()}`
    }
  }
}

/** Returns the line (from 0) of an error about too little indentation; null for any other error. */
function shallowLine(error: unknown): number | null {
  if (!(error instanceof YAMLException) || error.reason !== 'deficient indentation') return null
  return error.mark?.line ?? null
}
