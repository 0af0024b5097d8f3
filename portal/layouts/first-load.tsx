import { Center, Loader } from '@mantine/core'

/** What is seen while the first page's own code and the account are on their way. */
export function FirstLoad() {
  return (
    <Center mih="100vh">
      <Loader aria-label="Loading" />
    </Center>
  )
}
