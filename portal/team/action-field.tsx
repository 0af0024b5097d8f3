import { Autocomplete, type AutocompleteProps, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ActionChoicesDocument } from '../graphql/generated/graphql.ts'
import { likePattern } from '../graphql/like-pattern.ts'
import { request } from '../graphql/request.ts'
import { useApp } from './current-app.tsx'

const TYPING_MS = 250

type ActionFieldProps = Pick<AutocompleteProps, 'error' | 'description' | 'onChange'> & {
  value: string
}

/** Which action of the app: by its identifier, of which those are suggested that have the typed text in them, or in their names. */
export function ActionField({ value, ...field }: ActionFieldProps) {
  const [wanted] = useDebouncedValue(value.trim(), TYPING_MS)
  const { data: actions = [] } = useActionChoices(wanted)
  const names = new Map(actions.map(({ action, name }) => [action, name]))
  return (
    <Autocomplete
      label="Action"
      value={value}
      data={[...names.keys()]}
      // The platform has searched already, in the names as well.
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <div>
          {option.value}
          <Text size="sm" c="dimmed">
            {names.get(option.value)}
          </Text>
        </div>
      )}
      {...field}
    />
  )
}

/** Actions of the app that have a text in their names or identifiers, the latest first. */
export function useActionChoices(text: string) {
  const { id: app_id } = useApp()
  return useQuery({
    queryKey: ['action-choices', app_id, text],
    queryFn: async () =>
      (await request(ActionChoicesDocument, { app_id, pattern: likePattern(text) })).action,
    placeholderData: keepPreviousData,
  })
}
