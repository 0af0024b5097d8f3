import './people-rows.css'
import { Table } from '@mantine/core'
import { Check, Copy } from 'lucide-react'
import { type MouseEvent, memo, useState } from 'react'
import type { Person } from './merge-people.ts'
import { utcTime } from './utc-time.ts'

/** The digits of a nullifier that name the person in the labels of buttons. */
const SHORT_LENGTH = 10

type PeopleRowsProps = { people: readonly Person[]; newHashes: ReadonlySet<string> }

/** A table of people. Its rows are light, and a row is drawn again only if it changes, because people may come fast. */
export function PeopleRows({ people, newHashes }: PeopleRowsProps) {
  const [copiedHash, setCopiedHash] = useState<string | null>(null)
  async function copyNullifier({ target }: MouseEvent) {
    const button =
      target instanceof Element ? target.closest<HTMLElement>('[data-nullifier]') : null
    const hash = button?.dataset.nullifier
    if (hash === undefined) return
    await navigator.clipboard.writeText(hash)
    setCopiedHash(hash)
  }
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table verticalSpacing="xs" className="people" onClick={copyNullifier}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Person</Table.Th>
            <Table.Th>Verifications</Table.Th>
            <Table.Th>First verified (UTC)</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <tbody>
          {people.map((person) => (
            <PersonRow
              key={person.nullifier_hash}
              hash={person.nullifier_hash}
              uses={person.uses}
              at={person.created_at}
              isNew={newHashes.has(person.nullifier_hash)}
              isCopied={person.nullifier_hash === copiedHash}
            />
          ))}
        </tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

type PersonRowProps = { hash: string; uses: number; at: string; isNew: boolean; isCopied: boolean }

const PersonRow = memo(function PersonRow({ hash, uses, at, isNew, isCopied }: PersonRowProps) {
  const label = isCopied ? 'Copied nullifier' : 'Copy nullifier'
  return (
    <tr>
      <td>
        <div>
          <code>{hash}</code>
          <button
            type="button"
            data-nullifier={hash}
            title={label}
            aria-label={`${label} ${hash.slice(0, SHORT_LENGTH)}…`}
          >
            {isCopied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
          </button>
          {isNew && <span className="new">New</span>}
        </div>
      </td>
      <td>{uses}</td>
      <td>
        <time dateTime={at} title={at}>
          {utcTime(at)}
        </time>
      </td>
    </tr>
  )
})
