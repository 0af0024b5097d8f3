import { Center, Loader } from '@mantine/core'

/** Shown while the code of the first page and the account load. */
export function FirstLoad() {
  return (
    <Center mih="100vh">
      <Loader aria-label="Loading" />
    </Center>
  )
}
