import { readFileSync } from 'node:fs'
import { tablesBySection } from '../../markdown-tables.ts'

/** A row of docs/conformance.md about a module of the suite. */
export type ModuleRow = { module: string; profiles: string[]; result: string; why: string }

/** Reads the modules of docs/conformance.md, in order. */
export function moduleRows(): ModuleRow[] {
  const sections = [...tablesBySection(readFileSync('docs/conformance.md', 'utf8')).values()]
  return sections
    .flat(2)
    .flatMap(({ Module, Profiles = '', Result = '', Why = '' }) =>
      Module ? [{ module: Module, profiles: Profiles.split(', '), result: Result, why: Why }] : [],
    )
}
