import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../../../../local/process/temporary-folder.ts'

/** A Hasura project in a temporary folder. */
export type ProjectFolder = ReturnType<typeof createProjectFolder>

/** Creates a project with a table of books. The role `reader` can read their titles. */
export function createProjectFolder(config: object = {}) {
  const folder = temporaryFolder('project with spaces ')
  const project = {
    folder,
    write(path: string, text: string) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    },
    read: (path: string) => readFileSync(join(folder, path), 'utf8'),
    moveTo: (other: string) => renameSync(folder, other),
    remove: (path = '') => rmSync(join(folder, path), { recursive: true, force: true }),
  }
  project.write('config.yaml', JSON.stringify({ version: 3, ...config }))
  project.write(
    'migrations/default/1_books/up.sql',
    'create table book (id int generated always as identity primary key, title text not null)',
  )
  project.write('seeds/default/books.sql', `insert into book (title) values ('Emma')`)
  project.write('metadata/version.yaml', 'version: 3')
  project.write('metadata/databases/databases.yaml', DATABASES)
  project.write('metadata/databases/default/tables/tables.yaml', '- "!include public_book.yaml"')
  project.write('metadata/databases/default/tables/public_book.yaml', BOOK)
  return project
}

const DATABASES = `
- name: default
  kind: postgres
  configuration:
    connection_info:
      database_url:
        from_env: SHOP_DATABASE_URL
  tables: "!include default/tables/tables.yaml"
`

const BOOK = `
table:
  name: book
  schema: public
select_permissions:
  - role: reader
    permission:
      columns: [title]
      filter: {}
`
