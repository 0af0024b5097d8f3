// Builds the published package: JavaScript with source maps, and the types of the exports. Writes to `dist/`, or to the folder
// passed as argument. In this repository Node runs the sources without a build.
import { chmodSync, cpSync, globSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compilePackage } from './compile-package.mjs'

const folder = dirname(fileURLToPath(import.meta.url))
const root = dirname(dirname(folder))
const dist = resolve(process.argv[2] ?? join(folder, 'dist'))

compilePackage({
  project: join(folder, 'tsconfig.build.json'),
  dist,
  exported: 'packages/engine/index',
})
cpSync(join(folder, 'server/http/console'), join(dist, 'packages/engine/server/http/console'), {
  recursive: true,
})
for (const file of globSync(['packages/engine/cli/*.mjs', 'local/process/*.mjs'], {
  cwd: root,
}))
  cpSync(join(root, file), join(dist, file))
chmodSync(join(dist, 'packages/engine/cli/program.mjs'), 0o755)
