import { dump } from 'js-yaml'
import { isList, isRecord } from '../json/record.ts'
import { METADATA_FILES } from '../metadata/folder/read-metadata-folder.ts'
import { splitActions } from './split-actions.ts'

/** The texts of a metadata folder's files, by their paths in it, with `/` between folders. */
export type MetadataFiles = ReadonlyMap<string, string>

/** The folders of a source whose files are one object each. */
export const SOURCE_FOLDERS = ['tables', 'functions', 'logical_models', 'native_queries'] as const

/** Metadata as the files of a folder, as Hasura's command line lays them out (config v3). */
export function metadataFiles(document: Readonly<Record<string, unknown>>): MetadataFiles {
  const files = new Map<string, string>([['version.yaml', toYaml({ version: 3 })]])
  const { sources, actions, custom_types, ...rest } = document
  const index = recordsOf(sources).map((source) => splitSource(source, files))
  files.set(METADATA_FILES.sources, toYaml(index))
  const { graphql, yaml } = splitActions(actions, custom_types)
  files.set('actions.graphql', graphql)
  files.set('actions.yaml', toYaml(yaml))
  for (const [key, file] of Object.entries(METADATA_FILES))
    if (rest[key] !== undefined) files.set(file, toYaml(rest[key]))
  return files
}

/** Adds the files of a source's objects; what is returned stands in `databases.yaml`, and includes them. */
function splitSource(source: Record<string, unknown>, files: Map<string, string>) {
  const name = fileName(String(source.name))
  const included = SOURCE_FOLDERS.filter((folder) => recordsOf(source[folder]).length > 0)
  for (const folder of included) {
    const taken = new Set<string>()
    const list = recordsOf(source[folder]).map((object) => {
      const file = `${unusedName(objectName(object), taken)}.yaml`
      files.set(`databases/${name}/${folder}/${file}`, toYaml(object))
      return `!include ${file}`
    })
    files.set(`databases/${name}/${folder}/${folder}.yaml`, toYaml(list))
  }
  const inclusions = included.map((folder) => [folder, `!include ${name}/${folder}/${folder}.yaml`])
  return { ...source, ...Object.fromEntries(inclusions) }
}

/** `<schema>_<name>` of a table or a function; the name of a logical model or of a native query's root field. */
function objectName({ table, function: called, name, root_field_name }: Record<string, unknown>) {
  const given = table ?? called
  if (isRecord(given)) return `${given.schema ?? 'public'}_${given.name}`
  return given === undefined ? String(root_field_name ?? name) : `public_${given}`
}

/** A name of the database may be anything, also a path that leads elsewhere. */
function fileName(name: string): string {
  return name.replace(/[^\p{L}\p{N}_.-]/gu, '_').replace(/^\.+/, '_')
}

/** Two names may become one, also where the file system takes `A` for `a`. */
function unusedName(name: string, taken: Set<string>, attempt = 1): string {
  const file = attempt === 1 ? fileName(name) : `${fileName(name)}_${attempt}`
  if (taken.has(file.toLowerCase())) return unusedName(name, taken, attempt + 1)
  taken.add(file.toLowerCase())
  return file
}

function recordsOf(value: unknown): readonly Record<string, unknown>[] {
  return isList(value) ? value.filter(isRecord) : []
}

function toYaml(value: unknown): string {
  return dump(value, { noRefs: true, lineWidth: -1, quoteStyle: 'double' })
}
