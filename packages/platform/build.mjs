// Builds the npm package `personhood-platform` in `dist/`, or in the folder that is the first argument. Files keep their
// folders, so that relative paths stay valid (docs/decisions/project/0100-the-platform-as-a-package.md).
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileContracts } from '../../local/chain/compile.ts'
import {
  developmentKey,
  developmentKey4,
} from '../../local/simulator/development-key/development-key.ts'
import { ensurePortal } from '../../portal/build/ensure-portal.ts'
import { compilePackage } from '../engine/compile-package.mjs'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const modules = join(root, 'node_modules')
const dist = resolve(process.argv[2] ?? join(root, 'packages/platform/dist'))
const madeFolder = join(dist, 'made')

/** Files that modules read at run time. */
const DATA_FILES = [
  'packages/engine/server/http/console/*',
  'hasura/{config.yaml,metadata/**,migrations/**,seeds/**}',
  'lib/design/*.{css,svg}',
  'lib/runtime/web/docs/*.{js,css}',
  'local/process/*.mjs',
  'local/caches/start-cache.mjs',
  'oidc/page/*.{js,css,json}',
  'ops/roles.sql',
  'packages/platform/program.mjs',
]

/** Modules that only this build needs. They use compilers, which the package does not depend on. */
const BUILD_MODULES = [
  'local/chain/compile',
  'local/simulator/development-key/{circuit-packages,circuits,compile-circuit,fixed-base,make-development-key,qap,r1cs,set-up-program,setup,toxic-waste,zkey}',
]

/** The files of other npm packages that browsers load. The rest of these packages is not needed. */
const BROWSER_FILES = {
  'swagger-ui': [
    'swagger-ui-dist/{swagger-ui-bundle.js,swagger-ui-bundle.js.LICENSE.txt,swagger-ui.css,LICENSE,NOTICE}',
  ],
  graphiql: ['ruru/{dist/static.js,dist/bundleCode.js,static/*.LICENSE.txt,LICENSE.md}'],
}

compilePackage({
  project: join(root, 'packages/platform/tsconfig.build.json'),
  dist,
  exported: 'packages/platform/index',
})
for (const file of globSync(
  BUILD_MODULES.map((name) => `${name}.js*`),
  { cwd: dist },
))
  rmSync(join(dist, file))
for (const file of globSync(DATA_FILES, { cwd: root, withFileTypes: true }))
  if (file.isFile()) copyFromRoot(join(file.parentPath, file.name))
await makeAhead()
renameThreads()
chmodSync(join(dist, 'packages/platform/program.mjs'), 0o755)
cpSync(join(root, 'LICENSE'), join(dirname(dist), 'LICENSE'))

function copyFromRoot(path) {
  cpSync(path, join(dist, path.slice(root.length)))
}

/** Builds the files that a clone builds on first use, where `lib/runtime/ready-made.ts` finds them. */
async function makeAhead() {
  mkdirSync(madeFolder)
  writeFileSync(join(madeFolder, 'contracts.json'), JSON.stringify(await compileContracts()))
  const [key3, key4] = await Promise.all([developmentKey(), developmentKey4()])
  for (const [name, { zkeyFile }] of [
    ['development-key', key3],
    ['development-key-4', key4],
  ])
    cpSync(dirname(zkeyFile), join(madeFolder, name), { recursive: true })
  // Leaves out the compressed copies, which only save network traffic.
  cpSync(await ensurePortal(join(root, '.cache')), join(madeFolder, 'portal'), {
    recursive: true,
    filter: (path) => !/\.(br|gz)$/.test(path),
  })
  for (const [name, files] of Object.entries(BROWSER_FILES))
    for (const file of globSync(files, { cwd: modules }))
      cpSync(join(modules, file), join(madeFolder, name, file.slice(file.indexOf('/') + 1)))
  writeFileSync(join(madeFolder, 'graphiql/package.json'), '{ "type": "commonjs" }\n')
  replaceIn(
    'packages/engine/server/http/console-endpoint.js',
    "'ruru/static'",
    "'../../../../made/graphiql/dist/static.js'",
  )
}

/** Corrects the extension in the names of threads. The compiler changes it in imports only. */
function renameThreads() {
  for (const thread of [
    'lib/verification/threads/groth16-thread',
    'webhooks/accounts/passwords-thread',
  ]) {
    const [name, folder] = [thread.split('/').at(-1), dirname(thread)]
    const users = globSync(`${folder}/*.js`, { cwd: dist }).filter((file) =>
      readFileSync(join(dist, file), 'utf8').includes(`'./${name}.ts'`),
    )
    for (const user of users) replaceIn(user, `'./${name}.ts'`, `'./${name}.js'`)
    if (users.length === 0) throw new Error(`no file starts ${thread}.ts`)
  }
}

function replaceIn(path, from, to) {
  const text = readFileSync(join(dist, path), 'utf8')
  if (!text.includes(from)) throw new Error(`${path} does not contain ${from}`)
  writeFileSync(join(dist, path), text.replaceAll(from, to))
}
