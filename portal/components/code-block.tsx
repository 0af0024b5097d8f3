import { Box, Button, Code, CopyButton } from '@mantine/core'
import { Check, Copy } from 'lucide-react'

/** Code with a button that copies it. `label` names the code for screen readers. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <Box pos="relative">
      <Code
        block
        tabIndex={0}
        role="region"
        aria-label={label}
        p="md"
        // On a phone, the first line begins below the button.
        pt={{ base: 44, sm: 'md' }}
        style={{ overflowX: 'auto' }}
      >
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            size="compact-sm"
            pos="absolute"
            top={8}
            right={8}
            onClick={copy}
            leftSection={copied ? <Check aria-hidden size={14} /> : <Copy aria-hidden size={14} />}
          >
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Box>
  )
}
