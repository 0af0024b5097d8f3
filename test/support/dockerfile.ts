import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

type Stage = { name: string; from: string; lines: [instruction: string, rest: string][] }

const stages = readStages(readFileSync('Dockerfile', 'utf8'))

/** The instructions of a target, after those of the stages that it builds on. */
export function instructionsOf(target: string): Stage['lines'] {
  const stage = stages.find(({ name }) => name === target)
  if (!stage) return [['FROM', target]]
  return [...instructionsOf(stage.from), ...stage.lines]
}

/** The value of the last instruction of a kind, the one that counts. */
export function lastOf(target: string, instruction: string): string {
  return instructionsOf(target).findLast(([name]) => name === instruction)?.[1] ?? ''
}

/** The project's files and folders that end up in an image. */
export function copiedInto(target: string): string[] {
  return instructionsOf(target)
    .filter(([name, rest]) => name === 'COPY' && !rest.startsWith('--from'))
    .flatMap(([, rest]) => rest.split(' ').slice(0, -1))
}

/**
 * The commands of a Dockerfile that put other packages into an image than those of package-lock.json, or run scripts of theirs:
 * every installation but `npm ci --ignore-scripts` next to the lock.
 */
export function looseInstallsIn(dockerfile: string): string[] {
  return readStages(dockerfile).flatMap(({ name, lines }) => {
    const hasLock = (before: number) =>
      lines
        .slice(0, before)
        .some(([instruction, rest]) => instruction === 'COPY' && rest.includes('package-lock.json'))
    return lines.flatMap(([instruction, rest], index) =>
      instruction === 'RUN'
        ? installsIn(rest)
            .filter((install) => !(LOCKED.test(install) && hasLock(index)))
            .map((install) => `${name}: ${install}`)
        : [],
    )
  })
}

const LOCKED = /^npm ci\b(?=.* --ignore-scripts\b)/

function installsIn(commands: string): string[] {
  return commands
    .split(/&&|\|\||[;|]/)
    .map((command) => command.trim())
    .filter((command) => /^(npx|yarn|pnpm|corepack|npm (?!pkg |pack ))/.test(command))
}

/** Every file of ours and every package that a module needs, directly or through imports. */
export function needsOf(entry: string): { files: Set<string>; packages: Set<string> } {
  const needs = { files: new Set<string>(), packages: new Set<string>() }
  follow(normalize(entry), needs)
  return needs
}

function follow(file: string, needs: ReturnType<typeof needsOf>) {
  if (needs.files.has(file)) return
  needs.files.add(file)
  if (!/\.(tsx?|mjs|js)$/.test(file)) return
  for (const found of importsOf(readFileSync(file, 'utf8'))) {
    if (found.startsWith('node:')) continue
    // What is after the question mark tells Vite how to read the file.
    const path = join(dirname(file), found.replace(/\?\w+$/, ''))
    if (!found.startsWith('.')) needs.packages.add(packageOf(found))
    else if (existsSync(path) && statSync(path).isFile()) follow(path, needs)
  }
}

/** `import … from`, `import(…)`, and files named relative to the module. Types are gone when it runs. */
function importsOf(source: string): string[] {
  const patterns = [
    /^(?:import|export) (?!type )[^'"]*?from '([^']+)'/gm,
    /^import '([^']+)'/gm,
    /\bimport\('([^']+)'\)/g,
    /new URL\('(\.[^']+)'/g,
  ]
  return patterns.flatMap((pattern) => [...source.matchAll(pattern)].map(([, from = '']) => from))
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/')
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}

function readStages(text: string): Stage[] {
  const found: Stage[] = []
  for (const line of text.replaceAll(/\\\n\s*/g, '').split('\n')) {
    const [, instruction, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    if (!instruction || rest === undefined) continue
    const [, from, name] = (instruction === 'FROM' && /^(\S+) AS (\S+)$/.exec(rest)) || []
    if (from && name) found.push({ name, from, lines: [] })
    else found.at(-1)?.lines.push([instruction, rest])
  }
  return found
}
