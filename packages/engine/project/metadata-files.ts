import { dump } from 'js-yaml'
import { isList, isRecord } from '../json/record.ts'
import { METADATA_FILES } from '../metadata/folder/read-metadata-folder.ts'
import { splitActions } from './split-actions.ts'

/** The contents of a metadata folder's files, by path in the folder, with `/` as separator. */
export type MetadataFiles = ReadonlyMap<string, string>

/** The folders of a source with one file for each object. */
export const SOURCE_FOLDERS = ['tables', 'functions', 'logical_models', 'native_queries'] as const

/** Splits metadata into the files of a folder, in the layout of Hasura's command line (config v3). */
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

/** Adds the files of a source's objects to `files`. Returns the source's entry in `databases.yaml`, which includes these files. */
function splitSource(source: Record<string, unknown>, files: Map<string, string>) {
  const name = fileName(String(source.name))
  const included = SOURCE_FOLDERS.filter((folder) => recordsOf(source[folder]).length > 0)
  for (const folder of included) {
    const usedNames = new Set<string>()
    const list = recordsOf(source[folder]).map((object) => {
      const file = `${unusedName(objectName(object), usedNames)}.yaml`
      files.set(`databases/${name}/${folder}/${file}`, toYaml(object))
      return `!include ${file}`
    })
    files.set(`databases/${name}/${folder}/${folder}.yaml`, toYaml(list))
  }
  const inclusions = included.map((folder) => [folder, `!include ${name}/${folder}/${folder}.yaml`])
  return { ...source, ...Object.fromEntries(inclusions) }
}

/**
 * Returns the name of an object's file: `<schema>_<name>` for a table or function, the name of a logical model, or the root field
 * of a native query.
 */
function objectName({ table, function: routine, name, root_field_name }: Record<string, unknown>) {
  const object = table ?? routine
  if (isRecord(object)) return `${object.schema ?? 'public'}_${object.name}`
  return object === undefined ? String(root_field_name ?? name) : `public_${object}`
}

/** Creates a file name from a name in the database, which may contain any character, also `../`. */
function fileName(name: string): string {
  return name.replace(/[^\p{L}\p{N}_.-]/gu, '_').replace(/^\.+/, '_')
}

/** Adds a number if the file name is in use. Ignores case, as some file systems do. */
function unusedName(name: string, usedNames: Set<string>, attempt = 1): string {
  const file = attempt === 1 ? fileName(name) : `${fileName(name)}_${attempt}`
  if (usedNames.has(file.toLowerCase())) return unusedName(name, usedNames, attempt + 1)
  usedNames.add(file.toLowerCase())
  return file
}

function recordsOf(value: unknown): readonly Record<string, unknown>[] {
  return isList(value) ? value.filter(isRecord) : []
}

function toYaml(value: unknown): string {
  return dump(value, { noRefs: true, lineWidth: -1, quoteStyle: 'double' })
}
