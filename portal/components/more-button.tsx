import { Button, Group } from '@mantine/core'

type MoreButtonProps = {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown }
}

/** Below a list that is read page by page: the way to the next page, as long as there is one. */
export function MoreButton({ query }: MoreButtonProps) {
  if (!query.hasNextPage) return null
  return (
    <Group>
      <Button
        variant="default"
        loading={query.isFetchingNextPage}
        onClick={() => query.fetchNextPage()}
      >
        Show more
      </Button>
    </Group>
  )
}
