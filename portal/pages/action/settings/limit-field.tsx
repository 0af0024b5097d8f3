import { Select, Stack, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { UNLIMITED } from './limit.ts'

type LimitFieldProps = {
  /** `UNLIMITED`, or the typed number. */
  value: string
  error?: ReactNode
  onChange(value: string): void
  'data-path'?: string
}

const CHOICES = [
  { value: '1', label: 'Once' },
  { value: '2', label: 'Twice' },
  { value: 'number', label: 'Another number of times' },
  { value: UNLIMITED, label: 'Unlimited' },
]

/** Chooses how often each person may verify. Only the choice "Unlimited" removes the limit. */
export function LimitField({ value, error, onChange, 'data-path': path }: LimitFieldProps) {
  const [isTyping, setIsTyping] = useState(false)
  const isNumber = isTyping || !CHOICES.some((choice) => choice.value === value)
  return (
    <Stack gap="xs">
      <Select
        label="How often each person may verify"
        description="Each verification is counted, whatever you choose."
        data={CHOICES}
        value={isNumber ? 'number' : value}
        allowDeselect={false}
        error={!isNumber && error}
        data-path={isNumber ? undefined : path}
        onChange={(choice) => {
          setIsTyping(choice === 'number')
          onChange(choice === 'number' ? '' : (choice ?? ''))
        }}
      />
      {isNumber && (
        <TextInput
          label="Number of times"
          inputMode="numeric"
          autoComplete="off"
          maw={200}
          autoFocus={isTyping}
          value={value === UNLIMITED ? '' : value}
          error={error}
          data-path={path}
          onChange={(event) => {
            setIsTyping(true)
            onChange(event.currentTarget.value)
          }}
        />
      )}
    </Stack>
  )
}
