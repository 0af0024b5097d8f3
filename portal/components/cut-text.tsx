import { Text, type TextProps } from '@mantine/core'

/** A name on one line. A long name is cut; the tooltip shows all of it. */
export function CutText({ text, ...props }: { text: string } & TextProps) {
  return (
    <Text truncate title={text} {...props}>
      {text}
    </Text>
  )
}
