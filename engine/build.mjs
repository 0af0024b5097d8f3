// Builds what npm publishes, in `dist/` or in the folder that is named: JavaScript with source maps, and the types of what
// is exported. Only the package needs it: in this repository the sources run as they are.
import { chmodSync, cpSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compilePackage } from './compile-package.mjs'

const folder = dirname(fileURLToPath(import.meta.url))
const dist = resolve(process.argv[2] ?? join(folder, 'dist'))

compilePackage({ project: join(folder, 'tsconfig.build.json'), dist, exported: 'engine/index' })
cpSync(join(folder, 'http/console'), join(dist, 'engine/http/console'), { recursive: true })
chmodSync(join(dist, 'engine/command-line/command.js'), 0o755)
