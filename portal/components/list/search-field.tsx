import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'

type SearchFieldProps = {
  label?: string
  description?: string
  placeholder?: string
  /** The text that the list is searched for. */
  value: string
  onSearch(text: string): void
}

const TYPING_MS = 250

/** A field that searches a list shortly after the user has stopped typing. */
export function SearchField({ label = 'Search', value, onSearch, ...words }: SearchFieldProps) {
  const [text, setText] = useState(value)
  const sentText = useRef(value)
  const send = useDebouncedCallback((typed: string) => {
    sentText.current = typed.trim()
    onSearch(sentText.current)
  }, TYPING_MS)
  useEffect(() => {
    // The back button or a link has changed the search.
    if (value === sentText.current) return
    sentText.current = value
    setText(value)
  }, [value])
  return (
    <TextInput
      {...words}
      label={label}
      type="search"
      w={300}
      maw="100%"
      maxLength={200}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        send(currentTarget.value)
      }}
    />
  )
}
