import { type PersonLine, parseFileLine } from './file-lines.ts'
import { readLines } from './read-lines.ts'

/** Reads the people of a checked file again, in portions, with the numbers of their lines. */
export async function* peopleOfFile(
  path: string,
): AsyncGenerator<{ number: number; person: PersonLine }[]> {
  for await (const lines of readLines(path)) {
    const people: { number: number; person: PersonLine }[] = []
    for (const { number, text } of lines) {
      const line = parseFileLine(text)
      if (typeof line === 'string')
        throw new Error(`${path}, line ${number}: ${line}. The file changed during the import.`)
      if (line.type === 'person') people.push({ number, person: line })
    }
    yield people
  }
}
