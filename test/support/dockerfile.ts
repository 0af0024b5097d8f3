import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

type Stage = { name: string; from: string; lines: [instruction: string, rest: string][] }

const stages = readStages(readFileSync('Dockerfile', 'utf8'))

/** Lists the instructions of a target, preceded by the instructions of the stages that it builds on. */
export function listInstructions(target: string): Stage['lines'] {
  const stage = stages.find(({ name }) => name === target)
  if (!stage) return [['FROM', target]]
  return [...listInstructions(stage.from), ...stage.lines]
}

/** Returns the arguments of the last instruction with this name, which overrides earlier instructions. */
export function findLastInstruction(target: string, instruction: string): string {
  return listInstructions(target).findLast(([name]) => name === instruction)?.[1] ?? ''
}

/** Lists the project's files and folders that are copied into an image. */
export function listCopiedPaths(target: string): string[] {
  return listInstructions(target)
    .filter(([name, rest]) => name === 'COPY' && !rest.startsWith('--from'))
    .flatMap(([, rest]) => rest.split(' ').slice(0, -1))
}

/**
 * Finds commands of a Dockerfile that may install packages that are not in package-lock.json, or run scripts of packages.
 * Returns every command of npm, npx, yarn, pnpm or corepack, except `npm pkg`, `npm pack`, and `npm ci --ignore-scripts` after
 * package-lock.json has been copied.
 */
export function findUnlockedInstalls(dockerfile: string): string[] {
  return readStages(dockerfile).flatMap(({ name, lines }) => {
    const hasLock = (before: number) =>
      lines
        .slice(0, before)
        .some(([instruction, rest]) => instruction === 'COPY' && rest.includes('package-lock.json'))
    return lines.flatMap(([instruction, rest], index) =>
      instruction === 'RUN'
        ? findInstallCommands(rest)
            .filter((install) => !(LOCKED.test(install) && hasLock(index)))
            .map((install) => `${name}: ${install}`)
        : [],
    )
  })
}

const LOCKED = /^npm ci\b(?=.* --ignore-scripts\b)/

function findInstallCommands(commands: string): string[] {
  return commands
    .split(/&&|\|\||[;|]/)
    .map((command) => command.trim())
    .filter((command) => /^(npx|yarn|pnpm|corepack|npm (?!pkg |pack ))/.test(command))
}

/** Finds every file and every package that a module of the project imports, directly or indirectly. Ignores imported types. */
export function findDependencies(entry: string): { files: Set<string>; packages: Set<string> } {
  const dependencies = { files: new Set<string>(), packages: new Set<string>() }
  addDependencies(normalize(entry), dependencies)
  return dependencies
}

function addDependencies(file: string, dependencies: ReturnType<typeof findDependencies>) {
  if (dependencies.files.has(file)) return
  dependencies.files.add(file)
  if (!/\.(tsx?|mjs|js)$/.test(file)) return
  for (const specifier of findImports(readFileSync(file, 'utf8'))) {
    if (specifier.startsWith('node:')) continue
    // A suffix such as `?raw` is an instruction for Vite.
    const path = join(dirname(file), specifier.replace(/\?\w+$/, ''))
    if (!specifier.startsWith('.')) dependencies.packages.add(packageName(specifier))
    else if (existsSync(path) && statSync(path).isFile()) addDependencies(path, dependencies)
  }
}

/** Finds what a module imports, re-exports, or names in `new URL('./…')`. Ignores `import type` and `export type`. */
function findImports(source: string): string[] {
  const patterns = [
    /^(?:import|export) (?!type )[^'"]*?from '([^']+)'/gm,
    /^import '([^']+)'/gm,
    /\bimport\('([^']+)'\)/g,
    /new URL\('(\.[^']+)'/g,
  ]
  return patterns.flatMap((pattern) => [...source.matchAll(pattern)].map(([, from = '']) => from))
}

function packageName(specifier: string): string {
  const parts = specifier.split('/')
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}

function readStages(text: string): Stage[] {
  const stageList: Stage[] = []
  for (const line of text.replaceAll(/\\\n\s*/g, '').split('\n')) {
    const [, instruction, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    if (!instruction || rest === undefined) continue
    const [, from, name] = (instruction === 'FROM' && /^(\S+) AS (\S+)$/.exec(rest)) || []
    if (from && name) stageList.push({ name, from, lines: [] })
    else stageList.at(-1)?.lines.push([instruction, rest])
  }
  return stageList
}
