import { CORE_SCHEMA, defineScalarTag, loadAll, mergeTag, YAMLException } from 'js-yaml'

/** The unquoted form, `!include file`; the CLI writes the quoted one. */
const INCLUDE_TAG = defineScalarTag('!include', {
  resolve: (file) => `!include ${file}`,
  identify: () => false,
})
const SCHEMA = CORE_SCHEMA.withTags(INCLUDE_TAG, mergeTag)

/**
 * The first document of a YAML text, as Hasura's command line reads it with `gopkg.in/yaml.v3`: merge keys (`<<`) are merged, and
 * what stands in brackets or in quotes may be indented less than its key. A text may also be empty, or have only comments.
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
      // White space says nothing there, but js-yaml asks for it, as YAML 1.2 does.
      indented.add(line)
      lines[line] = `${' '.repeat(deepest + 1)}${lines[line]?.trimStart()}`
    }
  }
}

/** The line that is indented less than what it belongs to, from 0; null for any other error. */
function shallowLine(error: unknown): number | null {
  if (!(error instanceof YAMLException) || error.reason !== 'deficient indentation') return null
  return error.mark?.line ?? null
}
