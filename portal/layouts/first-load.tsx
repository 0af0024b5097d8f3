import { Center, Loader } from '@mantine/core'

/** Shows a loader while the code of the first page or the account loads. */
export function FirstLoad() {
  return (
    <Center mih="100vh">
      <Loader aria-label="Loading" />
    </Center>
  )
}
