import { TextInput, type TextInputProps } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { MAX_TEXT_LENGTH } from './url-parameters.ts'

const TYPING_MS = 250

type SearchFieldProps = Omit<TextInputProps, 'value' | 'onChange' | 'defaultValue'> & {
  /** The text of the address that the page searches for. */
  search: string
  /** Called when the user has stopped typing. */
  onSearch(search: string): void
}

/** A field for a search whose text is in the page's address. Follows the address if it changes otherwise. */
export function SearchField({ search, onSearch, ...input }: SearchFieldProps) {
  const [typed, setTyped] = useState(search)
  // The texts that came from the address and that went there. The user may type on before the address has changed.
  const [seen, setSeen] = useState(search)
  const [sent, setSent] = useState(search)
  if (search !== seen) {
    setSeen(search)
    if (search !== sent) setTyped(search)
  }
  const send = useDebouncedCallback((text: string) => {
    setSent(text)
    onSearch(text)
  }, TYPING_MS)
  return (
    <TextInput
      label="Search"
      type="search"
      maw="100%"
      maxLength={MAX_TEXT_LENGTH}
      autoComplete="off"
      spellCheck={false}
      {...input}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value)
        send(value.trim())
      }}
      // A click on a link blurs the field first. A change of the address after the click would cancel the click.
      onBlur={() => send.flush()}
    />
  )
}
