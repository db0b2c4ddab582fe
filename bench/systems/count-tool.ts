import { z } from 'zod';

/** The tool that every system offers to its model. */
export const toolName = 'count';
export const toolDescription = 'Counts one up.';
export const instructions = 'Count with the tool until you are told to stop.';

export const inputSchema = z.strictObject({ id: z.string(), count: z.number(), flag: z.boolean() });
export const outputSchema = z.strictObject({ id: z.string(), total: z.number() });
/** What the model's last words are to be. */
export const answerSchema = z.strictObject({ state: z.literal('done') });

export type CountInput = z.infer<typeof inputSchema>;
export type CountOutput = z.infer<typeof outputSchema>;

/** What the model writes for every call. */
export const argumentText = JSON.stringify({ id: 'item-1', count: 3, flag: true } satisfies CountInput);
export const answerText = JSON.stringify({ state: 'done' } satisfies z.infer<typeof answerSchema>);
