import type { Project } from './tools.ts';

/** A tool of the trace without its schema, which each pi writes with a builder of its own. */
type Named = { readonly name: string; readonly description: string };

/** What either pi has for a tool. */
export function piTool<Schema>(
  { name, description }: Named,
  parameters: Schema,
  run: (input: never) => Promise<string>,
) {
  return {
    name,
    label: name,
    description,
    parameters,
    // The schema beside it has checked what it gets.
    execute: async (_callId: string, input: unknown) => ({
      content: [{ type: 'text' as const, text: await run(input as never) }],
      details: undefined,
    }),
  };
}

/** The model behind the loopback address. */
export function piModel(baseURL: string) {
  return {
    id: 'gpt-5',
    name: 'gpt-5',
    api: 'openai-responses' as const,
    provider: 'bench',
    baseUrl: baseURL,
    reasoning: false,
    input: ['text' as const],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 10_000_000,
    maxTokens: 10_000,
  };
}

/** The last text of a conversation, and what is looked at when it has ended. */
export function piAgent(
  project: Project,
  agent: { prompt(text: string): Promise<void>; readonly state: { readonly messages: readonly object[] } },
) {
  return {
    calls: () => project.calls,
    contentOf: (path: string) => project.contentOf(path),
    converse: async () => {
      await agent.prompt('Begin.');
      const last = agent.state.messages.at(-1) as {
        readonly content?: readonly { readonly type: string; readonly text?: string }[];
        readonly errorMessage?: string;
      };
      if (last.errorMessage !== undefined) throw new Error(last.errorMessage);
      return last.content?.find(({ type }) => type === 'text')?.text ?? '';
    },
  };
}
