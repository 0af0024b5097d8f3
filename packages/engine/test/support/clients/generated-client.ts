import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { runnerImport } from 'vite'
import { CLIENT_PACKAGES } from './client-packages.ts'

/** A folder with code that a client generated and a program that uses it. */
export type GeneratingApp = {
  folder: string
  /** Runs a command of the clients' packages in the folder, without a terminal. */
  run(command: string, ...args: string[]): Promise<void>
  /** TypeScript's errors about the program and the code that it imports; empty if there are none. */
  typeErrors(): Promise<string>
  /** Imports the program as bundled by Vite. */
  load<Program>(): Promise<Program>
  remove(): void
}

/**
 * Creates a folder with a copy of a program of packages/engine/test/clients/app. The program finds the clients' packages,
 * because the folder is inside their project.
 *
 * @param program the name of the program's file
 * @param others the names of the files that the program imports
 */
export function createGeneratingApp(program: string, ...others: string[]): GeneratingApp {
  const cache = join(CLIENT_PACKAGES, '.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'app-'))
  for (const file of [program, ...others])
    copyFileSync(join(CLIENT_PACKAGES, file), join(folder, file))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...STRICT, files: [program] }))
  // Some commands print nothing if NODE_ENV is `test`.
  const env = { ...process.env, NODE_ENV: undefined }
  const node = (...args: string[]) =>
    promisify(execFile)(process.execPath, args, { cwd: folder, env })
  return {
    folder,
    async run(command, ...args) {
      const program = join(CLIENT_PACKAGES, 'node_modules/.bin', command)
      await node(program, ...args).catch(({ stdout, stderr }) => {
        throw new Error(`${command} failed: ${stdout}${stderr}`)
      })
    },
    typeErrors: () =>
      node(resolve('node_modules/typescript/bin/tsc'), '-p', folder).then(
        ({ stdout }) => stdout,
        ({ stdout, message }) => stdout || message,
      ),
    async load<Program>() {
      const { module } = await runnerImport<Program>(join(folder, program), {
        configFile: false,
        root: folder,
      })
      return module
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

const STRICT = {
  compilerOptions: {
    ...{ target: 'es2022', module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'] },
    ...{
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      types: [],
    },
  },
}
