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

/** A field for the identifier of an action. It suggests actions with the typed text in their identifier or name. */
export function ActionField({ value, ...field }: ActionFieldProps) {
  const [searchText] = useDebouncedValue(value.trim(), TYPING_MS)
  const { data: actions = [] } = useActionChoices(searchText)
  const names = new Map(actions.map(({ action, name }) => [action, name]))
  return (
    <Autocomplete
      label="Action"
      value={value}
      data={[...names.keys()]}
      // The platform has already selected the actions, also by their names.
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

/** Reads up to 20 of the app's actions that have a text in their name or identifier, newest first. */
export function useActionChoices(text: string) {
  const { id: app_id } = useApp()
  return useQuery({
    queryKey: ['action-choices', app_id, text],
    queryFn: async ({ signal }) =>
      (await request(ActionChoicesDocument, { app_id, pattern: likePattern(text) }, signal)).action,
    placeholderData: keepPreviousData,
  })
}
