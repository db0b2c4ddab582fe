import { z } from 'zod';

/** The tool that every system offers to its model. */
export const toolName = 'count';
export const toolDescription = 'Counts one up.';
export const instructions = 'Count with the tool until you are told to stop.';

export const inputSchema: StrictObject<{ id: z.ZodString; count: z.ZodNumber; flag: z.ZodBoolean }> =
  z.strictObject({ id: z.string(), count: z.number(), flag: z.boolean() });
export const outputSchema: StrictObject<{ id: z.ZodString; total: z.ZodNumber }> = z.strictObject({
  id: z.string(),
  total: z.number(),
});
/** What the model's last words are to be. */
export const answerSchema: StrictObject<{ state: z.ZodLiteral<'done'> }> = z.strictObject({
  state: z.literal('done'),
});

type StrictObject<Shape extends z.core.$ZodShape> = z.ZodObject<Shape, z.core.$strict>;

export type CountInput = z.infer<typeof inputSchema>;
export type CountOutput = z.infer<typeof outputSchema>;

/** What the model writes for every call. */
export const argumentText: string = JSON.stringify({
  id: 'item-1',
  count: 3,
  flag: true,
} satisfies CountInput);
export const answerText: string = JSON.stringify({ state: 'done' } satisfies z.infer<typeof answerSchema>);
