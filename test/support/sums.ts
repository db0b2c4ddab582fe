import { type Prompt, promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { z } from 'zod';

/** A prompt with one tool, `add`, which refuses negative numbers: for round trips with whatever provider. */
export const sums: Prompt<undefined> = promptTemplate({
  ns: 'test',
  key: 'sums',
  sections: [
    section({
      title: 'Sums',
      key: 'sums',
      template: 'Calculate.',
      tools: [
        tool({
          name: 'add',
          description: 'Add two numbers.',
          inputSchema: z.object({ left: z.number(), right: z.number().optional() }),
          effects: 'read',
          execute: ({ left, right = 0 }) =>
            left < 0
              ? ToolResult.error('Negative numbers are not for me.')
              : ToolResult.ok(left + right, 'Added.'),
        }),
      ],
    }),
  ],
}).bind();
